import { SwitchyardError } from "../../base/errors.js";
import { STOP_GRACE_MS } from "../../base/limits.js";
import type { SplitRecord } from "../ledger/ledger.js";
import type { SourceFailure } from "../manifest.js";
import type { Split } from "../plan.js";
import type { ThreadProgress } from "../progress.js";
import type { ThreadsAhead } from "./threads-ahead.js";
import type { WorkerSetup, WorkerStart } from "./worker-messages.js";
import { WorkerDeath, WorkerThread, type WorkerThreadOptions } from "./worker-thread.js";

export interface PoolOptions extends WorkerThreadOptions {
  readonly threads: number;
  readonly setup: Omit<WorkerSetup, keyof WorkerStart>;
  /** Become the first of the threads. */
  readonly ahead: ThreadsAhead | undefined;
  readonly signal: AbortSignal;
  /** Called as soon as a split is committed, in no particular order. */
  onRecord(record: SplitRecord, split: Split): void;
}

/** Work of this pool so far, with the splits that are under way. */
export interface PoolProgress {
  readonly threads: readonly ThreadProgress[];
  /** On disk. */
  readonly bytes: number;
  readonly rows: number;
  readonly rejects: number;
  /** Events that a service has taken; 0 where events go to files. */
  readonly delivered: number;
  /** A sink waits for the service that it sends to. */
  readonly waiting: boolean;
  readonly splits: number;
}

interface Slot {
  thread: WorkerThread | undefined;
  split: Split | undefined;
  rows: number;
}

/**
 * Runs splits on worker threads, the largest first. A worker that dies is replaced, and its split is
 * run again without the source that it was reading, which has failed. Any other error ends the run.
 */
export class SplitPool {
  readonly #queue: Split[];
  readonly #splitsToRun: number;
  readonly #slots: readonly Slot[];
  #stopping = false;
  #failure: unknown;
  #bytes = 0;
  #rows = 0;
  #rejects = 0;
  #delivered = 0;
  #splits = 0;

  constructor(
    splits: readonly Split[],
    private readonly options: PoolOptions,
  ) {
    this.#queue = [...splits].sort((a, b) => b.bytes - a.bytes);
    this.#splitsToRun = splits.length;
    const threads = Math.min(options.threads, splits.length);
    this.#slots = Array.from({ length: threads }, () => ({
      thread: undefined,
      split: undefined,
      rows: 0,
    }));
  }

  /** Resolves when no worker lives any more; throws the error that ended the run, if one did. */
  async run(): Promise<"done" | "interrupted"> {
    const { signal } = this.options;
    const stop = () => this.#stop();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const ends = await Promise.all(this.#slots.map((slot) => this.#serve(slot)));
      if (this.#failure !== undefined) throw this.#failure;
      return ends.every((end) => end === "drained") ? "done" : "interrupted";
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  progress(): PoolProgress {
    let [bytes, rows, rejects] = [this.#bytes, this.#rows, this.#rejects];
    let delivered = this.#delivered;
    const waiting = this.#slots.some(({ thread }) => thread?.counters.waiting === true);
    const threads = this.#slots.map(({ thread, split, rows: rowsBefore }): ThreadProgress => {
      const counters = thread?.counters;
      if (split === undefined || counters === undefined) {
        return { source: undefined, rows: rowsBefore };
      }
      bytes += Math.min(counters.bytes, split.bytes);
      rows += counters.rows;
      rejects += counters.rejects;
      delivered += counters.delivered;
      const source = split.ranges[counters.range]?.source.name;
      return { source, rows: rowsBefore + counters.rows };
    });
    return { threads, bytes, rows, rejects, delivered, waiting, splits: this.#splits };
  }

  async #serve(slot: Slot): Promise<"drained" | "stopped"> {
    try {
      for (;;) {
        if (this.#stopping) return this.#queue.length === 0 ? "drained" : "stopped";
        const split = this.#queue.shift();
        if (split === undefined) return "drained";
        const record = await this.#runSplit(slot, split);
        if (record === undefined) return "stopped";
        this.#account(slot, split, record);
      }
    } catch (error) {
      this.#failure ??= error;
      this.#stop();
      return "stopped";
    } finally {
      slot.split = undefined;
      await slot.thread?.terminate();
    }
  }

  /** undefined when the run was stopped before the split was committed. */
  async #runSplit(slot: Slot, split: Split): Promise<SplitRecord | undefined> {
    const skipped: Record<number, SourceFailure> = {};
    for (;;) {
      try {
        slot.thread ??= await this.#start(slot);
        if (this.#stopping) return undefined;
        slot.split = split;
        const answer = await slot.thread.run({ split, skipped, decodesBeside: this.#hasIdle() });
        return answer.kind === "done" ? answer.record : undefined;
      } catch (error) {
        if (this.#stopping) return undefined;
        if (!(error instanceof WorkerDeath) || slot.split === undefined)
          throw asFatal(split, error);
        const range = slot.thread?.counters.range ?? -1;
        await slot.thread?.terminate();
        slot.thread = undefined;
        slot.split = undefined;
        if (!skipFailed(split, skipped, range, error)) throw asFatal(split, error);
      }
    }
  }

  /** Whether fewer splits are left than there are threads. */
  #hasIdle(): boolean {
    return this.#splitsToRun - this.#splits < this.options.threads;
  }

  async #start(slot: Slot): Promise<WorkerThread> {
    const thread = this.options.ahead?.take() ?? new WorkerThread(this.options);
    // In its slot before it is ready, so that a stop reaches it.
    slot.thread = thread;
    await thread.setUp(this.options.setup);
    return thread;
  }

  #account(slot: Slot, split: Split, record: SplitRecord): void {
    slot.split = undefined;
    slot.rows += record.rows.read;
    this.#bytes += split.bytes;
    this.#rows += record.rows.read;
    this.#rejects += record.rows.rejected;
    this.#delivered += record.counts?.["delivered"] ?? 0;
    this.#splits++;
    this.options.onRecord(record, split);
  }

  /** Workers stop at their next batch; those that do not within the grace are ended. */
  #stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    for (const { thread } of this.#slots) thread?.stop();
    const end = () => {
      for (const { thread } of this.#slots) thread?.terminate();
    };
    setTimeout(end, STOP_GRACE_MS).unref();
  }
}

/**
 * Leaves out the range that was being read, or, when none was, all of them. Says whether that changes
 * anything.
 */
function skipFailed(
  split: Split,
  skipped: Record<number, SourceFailure>,
  range: number,
  death: WorkerDeath,
): boolean {
  const indexes = range >= 0 ? [range] : split.ranges.map((_, index) => index);
  const fresh = indexes.filter((index) => skipped[index] === undefined);
  for (const index of fresh) {
    const source = split.ranges[index]?.source.name ?? "";
    const message = `${source}: its worker thread died: ${death.message}`;
    skipped[index] = { source, code: "source_crashed", message };
  }
  return fresh.length > 0;
}

function asFatal(split: Split, error: unknown): unknown {
  if (!(error instanceof WorkerDeath)) return error;
  return new SwitchyardError(
    "worker_died",
    `a worker thread died before or after it read split ${split.id}: ${error.message}`,
    { cause: error },
  );
}
