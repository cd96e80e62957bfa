import { Worker } from "node:worker_threads";
import { hasCode } from "../../base/error-code.js";
import { SwitchyardError } from "../../base/errors.js";
import { MIB } from "../../base/limits.js";
import type { MergeWork } from "../merge/run-merge.js";
import type { SplitTask } from "./run-split.js";
import { ThreadCounters } from "./thread-counters.js";
import type {
  ErrorFacts,
  FromWorker,
  MergeAnswer,
  SplitAnswer,
  ToWorker,
  WorkerSetup,
  WorkerStart,
} from "./worker-messages.js";

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

/** One worker thread as the pool sees it: requests, and one answer after the other until its death. */
export class WorkerThread {
  readonly counters = new ThreadCounters();
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  /** Answers that have not been asked for yet. */
  readonly #unread: FromWorker[] = [];
  /** Whoever waits for an answer. */
  #waiting: { resolve(message: FromWorker): void; reject(error: Error): void } | undefined;
  #reason: string | undefined;
  #death: WorkerDeath | undefined;

  constructor({ entry, heapBytes }: WorkerThreadOptions) {
    const workerData: WorkerStart = { counters: this.counters.buffer };
    this.#worker = new Worker(entry, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(heapBytes / MIB) },
    });
    this.#worker.on("message", (message: FromWorker) => this.#settle(message));
    this.#worker.on("error", (error) => {
      this.#reason = describe(error);
    });
    this.#exited = new Promise((resolve) => {
      // Only now have all answers come that were given before: what a thread had done counts.
      this.#worker.on("exit", (code) => {
        this.#die(this.#reason ?? `its thread ended with code ${code}`);
        resolve();
      });
    });
  }

  /** Resolves once the worker can run splits. To be called once, before `run`. */
  async setUp(setup: Omit<WorkerSetup, keyof WorkerStart>): Promise<void> {
    this.#post({ kind: "setup", setup });
    const message = await this.#next();
    if (message.kind === "unready") throw fromFacts(message.error);
  }

  /** To be called when the worker reads no split: `answer` tells what becomes of this one. */
  run(task: SplitTask): void {
    this.counters.reset();
    this.#post({ kind: "run", task });
  }

  /** The next answer about a split. Throws `WorkerDeath` where the worker dies before it gives one. */
  async answer(): Promise<SplitAnswer> {
    const answer = await this.#next();
    switch (answer.kind) {
      case "written":
      case "done":
      case "stopped":
      case "failed":
        return answer;
      default:
        throw new Error(`a worker answered a split with ${answer.kind}`);
    }
  }

  /** To be called when no split is at work. Throws `WorkerDeath` when the worker dies over it. */
  async merge(work: MergeWork): Promise<MergeAnswer> {
    this.counters.reset();
    this.#post({ kind: "merge", work });
    const answer = await this.#next();
    switch (answer.kind) {
      case "merged":
      case "halted":
      case "unmerged":
        return answer;
      default:
        throw new Error(`a worker answered a merge with ${answer.kind}`);
    }
  }

  /** Asks the worker to stop at its next batch; the split is then answered with `stopped`. */
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

  #next(): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      const unread = this.#unread.shift();
      if (unread !== undefined) resolve(unread);
      else if (this.#death !== undefined) reject(this.#death);
      else this.#waiting = { resolve, reject };
    });
  }

  #settle(message: FromWorker): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#unread.push(message);
    else waiting.resolve(message);
  }

  #die(reason: string): void {
    this.#death = new WorkerDeath(reason);
    this.#waiting?.reject(this.#death);
    this.#waiting = undefined;
  }
}

function describe(error: unknown): string {
  if (hasCode(error, "ERR_WORKER_OUT_OF_MEMORY")) {
    return "its thread ran out of memory; give more with --memory, or use fewer --threads";
  }
  return error instanceof Error ? error.message : String(error);
}

/** The error that a worker has told of. */
export function fromFacts(facts: ErrorFacts): SwitchyardError {
  return new SwitchyardError(facts.code, facts.message, { exitCode: facts.exitCode });
}
