import { setImmediate } from "node:timers/promises";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { openFilesError } from "../../base/open-files.js";
import { serveCalls } from "../../base/thread-call.js";
import { Kernel } from "../../batch/kernel.js";
import type {
  CountedDrops,
  CountWork,
  GatherWork,
  MatchResult,
  MatchWork,
} from "../../dedupe/key-matcher.js";
import { ObjectsAhead } from "../../formats/objects-ahead.js";
import type { MergeRecord, SplitRecord } from "../../ledger/ledger-records.js";
import type { RunOptions } from "../../options/options.js";
import { type MergeWork, runMerge } from "./run-merge.js";
import { ReaderCrash, runSplit, type SplitTask, type SplitTools } from "./run-split.js";
import { ThreadCounters } from "./thread-counters.js";
import type { WrittenSplit } from "./written-split.js";

/** The values from which a worker makes its tools. */
export interface WorkerSetup<Options extends RunOptions = RunOptions> {
  readonly options: Options;
  /** Workers that read keys also compare them. */
  readonly reads: "keys" | "events";
  /** Milliseconds since 1970 UTC. */
  readonly maxTimeMs: number;
  readonly epoch: number;
  /** Splits of the whole epoch. */
  readonly splits: number;
  /** So few splits that each can have a second thread, which decompresses its sources. */
  readonly decodesAhead: boolean;
  /** Buffer of its `ThreadCounters`. */
  readonly counters: SharedArrayBuffer;
}

/** `kernel` has no allocations yet. */
export type MakeTools<Options extends RunOptions> = (
  setup: WorkerSetup<Options>,
  signal: AbortSignal,
  kernel: Kernel,
) => Promise<Omit<SplitTools, "counters" | "checkpoint" | "ahead">>;

/** Serves the calls of a worker pool; the entry file of a worker thread calls it once. */
export function serveSplits<Options extends RunOptions>(makeTools: MakeTools<Options>): void {
  // The command that starts this entry file passes the options that `makeTools` expects.
  serveCalls(new SplitServer(makeTools as MakeTools<RunOptions>));
}

/**
 * The calls of a worker. It reads one split at a time, while the previous one may be committing.
 * After a stop, calls end with `interrupted`.
 */
export class SplitServer {
  readonly #stop = new AbortController();
  /** Shared by all phases: separate memory of an earlier phase would stay until it is collected. */
  readonly #kernel = new Kernel();
  #tools: SplitTools | undefined;
  #written: WrittenSplit | undefined;
  /** The commit in progress; never rejects. */
  #commit: Promise<unknown> | undefined;

  constructor(private readonly makeTools: MakeTools<RunOptions>) {}

  /** Called first, and again before each further phase. */
  async setUp(setup: WorkerSetup): Promise<void> {
    const counters = new ThreadCounters(setup.counters);
    this.#tools?.ahead.close();
    this.#tools = undefined;
    this.#written = undefined;
    this.#kernel.clear();
    const tools = await this.#finish(this.makeTools(setup, this.#stop.signal, this.#kernel));
    const ahead = new ObjectsAhead(tools.readerOptions);
    this.#tools = { ...tools, counters, ahead, checkpoint: () => this.#checkpoint() };
  }

  /** Reads a split and leaves only its commit. Ends after the commit of the previous split. */
  async read(task: SplitTask): Promise<void> {
    try {
      this.#written = await this.#finish(runSplit(task, this.#tools as SplitTools));
    } finally {
      // After a crash of the reader this thread ends, which must not affect the commit of the
      // previous split.
      await this.#commit;
    }
  }

  /** Commits the split that was read last; the next one can be read in the meantime. */
  async commit(): Promise<SplitRecord> {
    const commit = this.#finish((this.#written as WrittenSplit).commit());
    this.#commit = commit.catch(() => undefined);
    try {
      return await commit;
    } finally {
      this.#commit = undefined;
    }
  }

  /** Discards the split that was read last. */
  async discard(): Promise<void> {
    await this.#finish((this.#written as WrittenSplit).abort());
  }

  async merge(work: MergeWork): Promise<MergeRecord> {
    return this.#finish(runMerge(work, this.#tools as SplitTools, () => this.#throwIfStopped()));
  }

  /** Only workers that read keys can compare and gather. */
  async compareKeys(work: MatchWork): Promise<MatchResult> {
    return this.#finish((async () => this.#matcher.match(work, () => this.#throwIfStopped()))());
  }

  async gatherDrops(work: GatherWork): Promise<string> {
    return this.#finish(this.#matcher.gather(work));
  }

  async countDrops(work: CountWork): Promise<CountedDrops> {
    return this.#finish((async () => this.#matcher.count(work))());
  }

  get #matcher() {
    const { matcher } = this.#tools as SplitTools;
    if (matcher === undefined) throw new Error("this worker compares no keys");
    return matcher;
  }

  /** Wakes a worker that waits. A busy one sees the flag in its counters. */
  stop(): void {
    this.#stop.abort();
  }

  /** A reader's crash ends the thread; every other error ends the call. */
  async #finish<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ReaderCrash) throw error;
      if (this.#stop.signal.aborted) {
        throw new SwitchyardError("interrupted", "interrupted", {
          exitCode: exitCodes.interrupted,
        });
      }
      throw error instanceof SwitchyardError ? error : (openFilesError(error) ?? defect(error));
    }
  }

  async #checkpoint(): Promise<void> {
    // Reading never waits: without this the commit would not proceed until the split is read.
    if (this.#commit !== undefined) await setImmediate();
    this.#throwIfStopped();
  }

  #throwIfStopped(): void {
    // A worker's loops never wait, so the call of `stop` may not have arrived yet.
    if (this.#tools?.counters.stopped === true) this.#stop.abort();
    this.#stop.signal.throwIfAborted();
  }
}

function defect(error: unknown): SwitchyardError {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new SwitchyardError("defect", `a defect of Switchyard: ${message}`, { cause: error });
}
