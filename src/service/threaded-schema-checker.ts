import type { SchemaChecker, SchemaFault, SchemaQuestion } from "./schema-checker.js";
import { type CheckOutcome, SchemaThread } from "./schema-thread.js";
import { ServiceError } from "./service-error.js";

export interface SchemaCheckLimits {
  /** Threads, started when they are first needed: one check that takes long leaves the others free. */
  readonly threads: number;
  /** Milliseconds that one check may take. */
  readonly checkTimeoutMs: number;
  /** MiB of JavaScript heap of one thread. */
  readonly heapMib: number;
  /** Checks that wait for a thread; further ones are refused with a 503. */
  readonly waitingMax: number;
  /** Milliseconds that a check may wait for a thread, until it is refused with a 503. */
  readonly waitTimeoutMs: number;
}

export const schemaCheckLimits: SchemaCheckLimits = {
  threads: 2,
  checkTimeoutMs: 500,
  heapMib: 64,
  waitingMax: 1_000,
  waitTimeoutMs: 5_000,
};

/** Seconds after which a refused check is worth another try. */
const RETRY_AFTER_SECONDS = 1;

// From src/service (tests) and dist/service (production) alike.
const entry = new URL("../../dist/service/schema-checker-thread.js", import.meta.url);

interface Job {
  readonly question: SchemaQuestion;
  resolve(faults: readonly SchemaFault[]): void;
  reject(error: Error): void;
  waitTimer: NodeJS.Timeout | undefined;
}

/**
 * Checks in threads of their own, as a schema can be written to take any time: by a regular expression,
 * by references that branch, or by its size alone. What takes too long is ended with its thread.
 */
export class ThreadedSchemaChecker implements SchemaChecker {
  readonly #limits: SchemaCheckLimits;
  readonly #waiting = new Set<Job>();
  readonly #threads = new Set<SchemaThread>();
  readonly #idle: SchemaThread[] = [];
  #busyCount = 0;
  #isClosed = false;

  constructor(limits: Partial<SchemaCheckLimits> = {}) {
    this.#limits = { ...schemaCheckLimits, ...limits };
  }

  check(question: SchemaQuestion): Promise<readonly SchemaFault[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.#waiting.size >= this.#limits.waitingMax) {
        reject(unavailable());
        return;
      }
      const job: Job = { question, resolve, reject, waitTimer: undefined };
      this.#waiting.add(job);
      job.waitTimer = setTimeout(() => this.#refuse(job), this.#limits.waitTimeoutMs);
      if (this.#busyCount < this.#limits.threads) void this.#work();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting) this.#refuse(job);
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** Answers what waits, one after the other, with one thread. */
  async #work(): Promise<void> {
    this.#busyCount += 1;
    for (let job = this.#take(); job !== undefined; job = this.#take()) {
      const thread = this.#thread();
      const outcome = await thread.check(job.question);
      this.#settle(job, outcome);
      if (outcome.kind === "checked") this.#idle.push(thread);
      else await this.#end(thread);
    }
    this.#busyCount -= 1;
  }

  #take(): Job | undefined {
    const [job] = this.#waiting;
    if (job === undefined) return undefined;
    this.#waiting.delete(job);
    clearTimeout(job.waitTimer);
    return job;
  }

  #thread(): SchemaThread {
    const idle = this.#idle.pop();
    if (idle?.isUsable) return idle;
    const thread = new SchemaThread({ entry, ...this.#limits });
    this.#threads.add(thread);
    return thread;
  }

  /** Waits until it is gone, so that there are never more threads than allowed. */
  async #end(thread: SchemaThread): Promise<void> {
    await thread.end();
    this.#threads.delete(thread);
  }

  #settle(job: Job, outcome: CheckOutcome): void {
    switch (outcome.kind) {
      case "checked":
        job.resolve(outcome.faults);
        return;
      case "too_long":
        job.resolve(
          faultOf(`takes too long to check: more than ${this.#limits.checkTimeoutMs} ms`),
        );
        return;
      case "too_large":
        job.resolve(
          faultOf(`takes too much memory to check: more than ${this.#limits.heapMib} MiB`),
        );
        return;
      case "failed":
        job.reject(this.#isClosed ? unavailable() : outcome.error);
    }
  }

  #refuse(job: Job): void {
    this.#waiting.delete(job);
    clearTimeout(job.waitTimer);
    job.reject(unavailable());
  }
}

function faultOf(reason: string): readonly SchemaFault[] {
  return [{ value: undefined, reason }];
}

function unavailable(): ServiceError {
  return new ServiceError({
    status: 503,
    message: "Too many schemas are being checked: try again.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
