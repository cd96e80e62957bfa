import { builtFile } from "../base/package-files.js";
import type { SchemaChecker, SchemaFault, SchemaQuestion } from "./schema-checker.js";
import { type CheckOutcome, SchemaProcess } from "./schema-process.js";
import { ServiceError } from "./service-error.js";
import { type SchemaCheckLimits, schemaCheckLimits, serviceLimits } from "./service-limits.js";

const entry = builtFile("schema-checker-process.js");

interface Job {
  readonly question: SchemaQuestion;
  resolve(faults: readonly SchemaFault[]): void;
  reject(error: Error): void;
  waitTimer: NodeJS.Timeout | undefined;
}

/**
 * Checks in processes of their own, as a schema can be written to take any time or memory: by a regular
 * expression, by references that branch, or by its size alone. A thread would not do: V8 ends the whole
 * process where compiling a regular expression runs out of memory.
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

  check(question: SchemaQuestion): Promise<readonly SchemaFault[]> {
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

  /** Answers what waits, one after the other, with one process at a time. */
  async #work(): Promise<void> {
    this.#busyCount += 1;
    for (let job = this.#take(); job !== undefined; job = this.#take()) {
      const process = this.#idleProcess() ?? this.#start();
      const outcome = await process.check(job.question);
      this.#settle(job, outcome);
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

  /** One that died while it was idle is passed over. */
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

  /** Waits until it is gone, so that there are never more of them than allowed. */
  async #end(process: SchemaProcess): Promise<void> {
    await process.kill();
    this.#processes.delete(process);
  }

  #settle(job: Job, outcome: CheckOutcome): void {
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
    message: "Too many schemas are being checked: try again.",
    retryAfterSeconds: serviceLimits.retryAfterSeconds,
  });
}
