import type { MergeRecord } from "../ledger/ledger-records.js";
import type { ThreadProgress } from "../run-observer.js";
import { asFatal, type PoolWorker, type WorkerPool } from "../worker/worker-pool.js";
import type { MergeWork } from "./run-merge.js";

/** A merge that is queued or in progress; its days are shown as YYYY-MM-DD. */
export interface QueuedMerge {
  /** Made when the merge begins: a thousand merges of thousands of splits are much memory. */
  work(): MergeWork;
  readonly bytes: number;
  readonly days: string;
}

/** Work of this run so far, including merges in progress. */
export interface MergeProgress {
  readonly threads: readonly ThreadProgress[];
  readonly rows: number;
  /** Size of the packs. */
  readonly bytes: number;
  readonly merges: number;
}

/** A merge that is taken from the queue. `work` resolves when the rows that it reads are there. */
interface BegunMerge {
  readonly merge: QueuedMerge;
  readonly work: Promise<MergeWork>;
}

interface Lane {
  worker: PoolWorker | undefined;
  /** The merge after the current one, whose rows are being gathered. */
  ahead: BegunMerge | undefined;
  merge: QueuedMerge | undefined;
  /** Rows of finished merges. */
  rows: number;
  /** Ends when the last finished merge is where it belongs. */
  published: Promise<void> | undefined;
}

/**
 * Runs merges on a worker pool, the largest first. Every error ends the run. So does a worker's
 * death: its input was written by us, and a retry would die of it again.
 */
export class MergeRunner {
  readonly #queue: QueuedMerge[];
  readonly #mergesToRun: number;
  readonly #lanes: readonly Lane[];
  #bytes = 0;
  #merges = 0;

  /**
   * `onRecord` is called as soon as a merge is in the ledger, in no particular order. `gather`, if it is
   * needed, brings the rows that a merge reads: those of the next one while a merge works.
   */
  constructor(
    merges: readonly QueuedMerge[],
    private readonly pool: WorkerPool,
    private readonly onRecord: (record: MergeRecord) => unknown,
    private readonly gather?: (work: MergeWork) => Promise<void>,
  ) {
    this.#queue = [...merges].sort((one, other) => other.bytes - one.bytes);
    this.#mergesToRun = merges.length;
    this.#lanes = Array.from({ length: Math.min(pool.threads, merges.length) }, () => ({
      worker: undefined,
      ahead: undefined,
      merge: undefined,
      rows: 0,
      published: undefined,
    }));
  }

  /** Resolves when no merge is in progress; throws the error that ended the run. */
  async run(): Promise<"done" | "interrupted"> {
    await this.pool.run(this.#lanes.map((lane) => () => this.#serve(lane)));
    return this.#merges === this.#mergesToRun ? "done" : "interrupted";
  }

  progress(): MergeProgress {
    let bytes = this.#bytes;
    const threads = this.#lanes.map(({ worker, merge, rows }): ThreadProgress => {
      if (worker === undefined || merge === undefined) return { source: undefined, rows };
      bytes += worker.counters.bytes;
      return { source: merge.days, rows: rows + worker.counters.rows };
    });
    const rows = threads.reduce((sum, thread) => sum + thread.rows, 0);
    return { threads, bytes, rows, merges: this.#merges };
  }

  async #serve(lane: Lane): Promise<void> {
    while (!this.pool.isStopping && (lane.ahead !== undefined || this.#queue.length > 0)) {
      const worker = await this.#workerOf(lane);
      // Without a thread for this lane, the queue is untouched: others merge it to its end.
      const begun =
        worker && !this.pool.isStopping ? (lane.ahead ?? this.#beginMerge()) : undefined;
      if (worker === undefined || begun === undefined) break;
      const { merge } = begun;
      try {
        worker.counters.reset();
        lane.merge = merge;
        const work = await begun.work;
        lane.ahead = this.gather === undefined ? undefined : this.#beginMerge();
        const record = await worker.remote.call("merge", work);
        await lane.published;
        lane.published = this.#account(lane, merge, record);
        // It is awaited later, and may fail before.
        lane.published.catch(() => undefined);
      } catch (error) {
        if (this.pool.isStopping) break;
        throw asFatal(`merged ${merge.days}`, error);
      } finally {
        lane.merge = undefined;
      }
    }
    await lane.published;
    // It writes to files whose state must not change any more.
    await lane.ahead?.work.catch(() => undefined);
  }

  #beginMerge(): BegunMerge | undefined {
    const merge = this.#queue.shift();
    if (merge === undefined) return undefined;
    const work = (async () => {
      const made = merge.work();
      await this.gather?.(made);
      return made;
    })();
    // It is awaited later, and may fail before.
    work.catch(() => undefined);
    return { merge, work };
  }

  async #workerOf(lane: Lane): Promise<PoolWorker | undefined> {
    try {
      lane.worker ??= await this.pool.take();
      return lane.worker;
    } catch (error) {
      if (this.pool.isStopping) return undefined;
      throw asFatal("started", error);
    }
  }

  async #account(lane: Lane, { bytes }: QueuedMerge, record: MergeRecord): Promise<void> {
    lane.merge = undefined;
    lane.rows += record.rows;
    this.#bytes += bytes;
    this.#merges++;
    await this.onRecord(record);
  }
}
