import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { type MergeWork, runMerge } from "../merge/run-merge.js";
import type { RunOptions } from "../options.js";
import { ReaderCrash, runSplit, type SplitTask, type SplitTools } from "./run-split.js";
import { ThreadCounters } from "./thread-counters.js";
import type {
  ErrorFacts,
  FromWorker,
  ToWorker,
  WorkerSetup,
  WorkerStart,
} from "./worker-messages.js";
import type { WrittenSplit } from "./written-split.js";

export type MakeTools<Options extends RunOptions> = (
  setup: WorkerSetup<Options>,
  signal: AbortSignal,
) => Promise<Omit<SplitTools, "counters" | "checkpoint">>;

/**
 * The worker's side of the pools: makes the tools when it is told what for, then runs one split, or one
 * merge, for each message. To be called once by the entry file of a worker thread.
 */
export function serveSplits<Options extends RunOptions>(makeTools: MakeTools<Options>): void {
  const port = parentPort;
  if (port === null) throw new Error("serveSplits runs in a worker thread only");
  const start = workerData as WorkerStart;
  const counters = new ThreadCounters(start.counters);
  const server = new SplitServer(counters, (message) => port.postMessage(message));
  port.on("message", async (message: ToWorker) => {
    switch (message.kind) {
      case "setup": {
        // What the command that started this entry file has given: it knows which options it takes.
        const setup = { ...message.setup, ...start } as WorkerSetup<Options>;
        return server.setUp((signal) => makeTools(setup, signal));
      }
      case "run":
        return server.run(message.task);
      case "merge":
        return server.merge(message.work);
      case "stop":
        return server.stop();
    }
  });
}

/** Reads one split at a time, while the one before may be on its way into the ledger. */
class SplitServer {
  readonly #stop = new AbortController();
  #tools: SplitTools | undefined;
  /** Of the split before, while it lasts; it never throws. */
  #commit: Promise<void> | undefined;

  constructor(
    private readonly counters: ThreadCounters,
    private readonly answer: (message: FromWorker) => void,
  ) {}

  async setUp(
    makeTools: (signal: AbortSignal) => ReturnType<MakeTools<RunOptions>>,
  ): Promise<void> {
    try {
      const tools = await makeTools(this.#stop.signal);
      const checkpoint = () => this.#checkpoint();
      this.#tools = { ...tools, counters: this.counters, checkpoint };
      this.answer({ kind: "ready" });
    } catch (error) {
      this.answer({ kind: "unready", error: errorFacts(error) });
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  async run(task: SplitTask): Promise<void> {
    const splitId = task.split.id;
    try {
      const written = await runSplit(task, this.#tools as SplitTools);
      await this.#commit;
      this.answer({ kind: "written", splitId });
      this.#commit = this.#commitSplit(written);
    } catch (error) {
      if (error instanceof ReaderCrash) {
        // The crash, of which the thread dies, is no fault of the split before.
        await this.#commit;
        throw error;
      }
      this.#answerError(splitId, error);
    }
  }

  async merge(work: MergeWork): Promise<void> {
    try {
      const record = await runMerge(work, this.#tools as SplitTools, () => this.#throwIfStopped());
      this.answer({ kind: "merged", record });
    } catch (error) {
      if (this.#stop.signal.aborted) this.answer({ kind: "halted" });
      else this.answer({ kind: "unmerged", error: errorFacts(error) });
    }
  }

  async #commitSplit(written: WrittenSplit): Promise<void> {
    const splitId = written.id;
    try {
      const record = await written.commit();
      this.answer({ kind: "done", splitId, record });
    } catch (error) {
      this.#answerError(splitId, error);
    } finally {
      this.#commit = undefined;
    }
  }

  async #checkpoint(): Promise<void> {
    // Reading never waits, so that the commit would learn of nothing before the split is read.
    if (this.#commit !== undefined) await setImmediate();
    this.#throwIfStopped();
  }

  #throwIfStopped(): void {
    // The message may not have come, as the loops of a worker never wait, so the flag is looked at
    // as well.
    if (this.counters.stopped) this.#stop.abort();
    this.#stop.signal.throwIfAborted();
  }

  #answerError(splitId: string, error: unknown): void {
    if (this.#stop.signal.aborted) this.answer({ kind: "stopped", splitId });
    else this.answer({ kind: "failed", splitId, error: errorFacts(error) });
  }
}

function errorFacts(error: unknown): ErrorFacts {
  if (error instanceof SwitchyardError) {
    return { code: error.code, message: error.message, exitCode: error.exitCode };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: "defect",
    message: `a defect of Switchyard: ${message}`,
    exitCode: exitCodes.failed,
  };
}
