import { Worker } from "node:worker_threads";
import { SwitchyardError } from "../../base/errors.js";
import { MIB } from "../../base/limits.js";
import type { SplitTask } from "./run-split.js";
import { ThreadCounters } from "./thread-counters.js";
import type { FromWorker, ToWorker, WorkerSetup, WorkerStart } from "./worker-messages.js";

/** The worker ended without an answer: out of memory, a panic in native code, a reader's crash. */
export class WorkerDeath extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "WorkerDeath";
  }
}

export interface WorkerThreadOptions {
  /** Compiled entry file. */
  readonly entry: URL;
  readonly heapBytes: number;
}

/** One worker thread as the pool sees it: one request at a time, one answer or a death. */
export class WorkerThread {
  readonly counters = new ThreadCounters();
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  /** The answer that has not been asked for yet, or whoever waits for one. */
  #waiting: { resolve(message: FromWorker): void; reject(error: Error): void } | undefined;
  #early: FromWorker | undefined;
  #death: WorkerDeath | undefined;

  constructor({ entry, heapBytes }: WorkerThreadOptions) {
    const workerData: WorkerStart = { counters: this.counters.buffer };
    this.#worker = new Worker(entry, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(heapBytes / MIB) },
    });
    this.#worker.on("message", (message: FromWorker) => this.#settle(message));
    this.#worker.on("error", (error) => this.#die(describe(error)));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", (code) => {
        this.#die(`its thread ended with code ${code}`);
        resolve();
      });
    });
  }

  /** Resolves once the worker can run splits. To be called once, before `run`. */
  async setUp(setup: Omit<WorkerSetup, keyof WorkerStart>): Promise<void> {
    this.#post({ kind: "setup", setup });
    const message = await this.#answer();
    if (message.kind === "failed") throw fromFacts(message.error);
  }

  /** Throws `WorkerDeath` when the worker dies over it. */
  async run(task: SplitTask): Promise<FromWorker> {
    this.counters.reset();
    this.#post({ kind: "run", task });
    const message = await this.#answer();
    if (message.kind === "failed") throw fromFacts(message.error);
    return message;
  }

  /** Asks the worker to stop at its next batch; `run` then resolves to `stopped`. */
  stop(): void {
    this.counters.stop();
    this.#post({ kind: "stop" });
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.#exited;
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #answer(): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      const early = this.#early;
      this.#early = undefined;
      if (early !== undefined) resolve(early);
      else if (this.#death !== undefined) reject(this.#death);
      else this.#waiting = { resolve, reject };
    });
  }

  #settle(message: FromWorker): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#early = message;
    else waiting.resolve(message);
  }

  #die(reason: string): void {
    if (this.#death !== undefined) return;
    this.#death = new WorkerDeath(reason);
    this.#waiting?.reject(this.#death);
    this.#waiting = undefined;
  }
}

function describe(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY") {
    return "its thread ran out of memory; give more with --memory, or use fewer --threads";
  }
  return error instanceof Error ? error.message : String(error);
}

function fromFacts(facts: { code: string; message: string; exitCode: number }): SwitchyardError {
  return new SwitchyardError(facts.code, facts.message, { exitCode: facts.exitCode });
}
