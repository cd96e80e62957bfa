import { MIB } from "../base/limits.js";
import { builtFile } from "../base/package-files.js";
import { startProcess } from "../base/process-call.js";
import type { Remote } from "../base/thread-call.js";
import { ServiceError } from "../http/service-error.js";
import {
  type SchemaCheckLimits,
  schemaCheckLimits,
  serviceLimits,
} from "../http/service-limits.js";
import type { CheckFault, SchemaChecker, SchemaQuestion } from "./schema-checker.js";

const entry = builtFile("schema-checker-process.js");

interface Job {
  readonly question: SchemaQuestion;
  resolve(faults: readonly CheckFault[]): void;
  reject(error: Error): void;
  waitTimer: NodeJS.Timeout | undefined;
}

/**
 * Checks schemas in child processes, because a schema can need any amount of time or memory: by a regular
 * expression, by branching references or by its size. A thread is not enough: V8 ends the whole process
 * if it runs out of memory while it compiles a regular expression.
 */
export class IsolatedSchemaChecker implements SchemaChecker {
  readonly #limits: SchemaCheckLimits;
  readonly #waiting = new Set<Job>();
  readonly #processes = new Set<SchemaProcess>();
  readonly #idle: SchemaProcess[] = [];
  #busyCount = 0;
  #isClosed = false;

  constructor(limits: Partial<SchemaCheckLimits> = {}) {
    this.#limits = { ...schemaCheckLimits, ...limits };
  }

  check(question: SchemaQuestion): Promise<readonly CheckFault[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.#waiting.size >= this.#limits.waitingMax) {
        reject(unavailable());
        return;
      }
      const job: Job = { question, resolve, reject, waitTimer: undefined };
      this.#waiting.add(job);
      job.waitTimer = setTimeout(() => this.#refuse(job), this.#limits.waitTimeoutMs);
      if (this.#busyCount < this.#limits.processes) void this.#work();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting) this.#refuse(job);
    await Promise.all([...this.#processes].map((process) => process.kill()));
  }

  /** Runs the waiting jobs one after the other, with one process at a time. */
  async #work(): Promise<void> {
    this.#busyCount += 1;
    for (let job = this.#take(); job !== undefined; job = this.#take()) {
      const process = this.#idleProcess() ?? this.#start();
      const outcome = await process.check(job.question);
      this.#finish(job, outcome);
      if (process.isUsable) this.#idle.push(process);
      else await this.#end(process);
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

  /** Returns an idle process. Skips those that died while they were idle. */
  #idleProcess(): SchemaProcess | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isUsable) return idle;
      this.#processes.delete(idle);
    }
    return undefined;
  }

  #start(): SchemaProcess {
    const process = new SchemaProcess({ entry, ...this.#limits });
    this.#processes.add(process);
    return process;
  }

  /** Waits until the process has ended: its memory counts until then. */
  async #end(process: SchemaProcess): Promise<void> {
    await process.kill();
    this.#processes.delete(process);
  }

  #finish(job: Job, outcome: CheckOutcome): void {
    if (outcome.kind === "checked") {
      job.resolve(outcome.faults);
    } else if (this.#isClosed) {
      job.reject(unavailable());
    } else if (outcome.kind === "failed") {
      job.reject(new Error("schemas cannot be checked", { cause: outcome.cause }));
    } else {
      const { checkTimeoutMs, heapMib } = this.#limits;
      const reason =
        outcome.kind === "too_long"
          ? `takes too long to check: more than ${checkTimeoutMs} ms`
          : `takes too much memory to check: more than ${heapMib} MiB`;
      job.resolve([{ value: undefined, reason }]);
    }
  }

  #refuse(job: Job): void {
    this.#waiting.delete(job);
    clearTimeout(job.waitTimer);
    job.reject(unavailable());
  }
}

function unavailable(): ServiceError {
  return new ServiceError({
    status: 503,
    message: "Too many schemas are being checked: try again later.",
    retryAfterSeconds: serviceLimits.retryAfterSeconds,
  });
}

type SchemaCheck =
  | { readonly kind: "checked"; readonly faults: readonly CheckFault[] }
  | { readonly kind: "too_long" };

/** The calls that the process serves. */
export interface SchemaCheckerProcess {
  /** Answers once the process has started. */
  start(): void;
  check(question: SchemaQuestion, timeoutMs: number): SchemaCheck;
}

/** The result of a check. `too_large`: it killed its process; `failed`: the process did not start. */
type CheckOutcome =
  | SchemaCheck
  | { readonly kind: "too_large" }
  | { readonly kind: "failed"; readonly cause: unknown };

interface SchemaProcessOptions {
  /** Compiled entry file. */
  readonly entry: URL;
  /** Milliseconds that one check may take once the process has started. */
  readonly checkTimeoutMs: number;
  /** MiB of JavaScript heap. */
  readonly heapMib: number;
}

/** The process stops a check at its timeout. If that fails, it is killed after this many timeouts. */
const KILL_FACTOR = 2;

/** A process that checks schemas, one at a time. Does not keep this process alive while it is idle. */
export class SchemaProcess {
  readonly #checkTimeoutMs: number;
  readonly #remote: Remote<SchemaCheckerProcess>;
  #started: Promise<void> | undefined;
  #isStuck = false;

  constructor({ entry, checkTimeoutMs, heapMib }: SchemaProcessOptions) {
    this.#checkTimeoutMs = checkTimeoutMs;
    this.#remote = startProcess(entry, { heapBytes: heapMib * MIB });
  }

  get isUsable(): boolean {
    return !this.#isStuck && this.#remote.death === undefined;
  }

  /** Never rejects. The time that the process takes to start is not counted. */
  async check(question: SchemaQuestion): Promise<CheckOutcome> {
    this.#started ??= this.#remote.call("start");
    try {
      await this.#started;
    } catch (cause) {
      return { kind: "failed", cause };
    }
    return this.#checkInTime(question);
  }

  /** Resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.#remote.terminate();
  }

  #checkInTime(question: SchemaQuestion): Promise<CheckOutcome> {
    return new Promise((resolve) => {
      let isAnswered = false;
      const answer = (outcome: CheckOutcome) => {
        isAnswered = true;
        clearTimeout(timer);
        resolve(outcome);
      };
      const timer = setTimeout(() => {
        // The answer may be waiting if this process was busy: `setImmediate` lets it be read first.
        setImmediate(() => {
          if (isAnswered) return;
          this.#isStuck = true;
          answer({ kind: "too_long" });
        });
      }, KILL_FACTOR * this.#checkTimeoutMs);
      this.#remote
        .call("check", question, this.#checkTimeoutMs)
        .then(answer, () => answer({ kind: "too_large" }));
    });
  }
}
