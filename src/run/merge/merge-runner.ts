import { sum } from "../../base/sum.js";
import type { MergeRecord } from "../../ledger/ledger-records.js";
import type { ThreadProgress } from "../../ledger/run-observer.js";
import type { Dispatch } from "../pool/dispatch.js";
import { asFatal, type PoolWorker, type WorkerPool } from "../pool/worker-pool.js";
import type { MergeWork } from "../thread/run-merge.js";

/** A merge that waits or is in progress; its days are shown as YYYY-MM-DD. */
export interface QueuedMerge {
  /**
   * Called when the merge begins, because the lists of a thousand merges of thousands of splits
   * need much memory.
   */
  work(): MergeWork;
  readonly bytes: number;
  readonly days: string;
}

/** Work of this run so far, including merges in progress. */
interface MergeProgress {
  readonly threads: readonly ThreadProgress[];
  readonly rows: number;
  /** Size of the packs. */
  readonly bytes: number;
  readonly merges: number;
}

/** A claimed merge. `work` resolves when the rows that it reads are available. */
interface BegunMerge {
  readonly merge: QueuedMerge;
  readonly work: Promise<MergeWork>;
}

interface MergeLane {
  worker: PoolWorker | undefined;
  /** The merge after the current one, whose rows are being gathered. */
  ahead: BegunMerge | undefined;
  merge: QueuedMerge | undefined;
  /** Rows of finished merges. */
  rows: number;
  /** Resolves when the last finished merge is stored. */
  published: Promise<void> | undefined;
}

/**
 * Runs merges on a worker pool. Every error ends the run. So does a worker's death: Switchyard
 * wrote its input, so a retry would die too.
 */
export class MergeRunner {
  readonly #lanes: readonly MergeLane[];
  #bytes = 0;
  #merges = 0;
  #claimed = 0;

  /**
   * `onRecord` is called as soon as a merge is in the ledger, in no particular order. `gather`
   * fetches the rows that a merge reads, where that is needed; it fetches those of the next merge
   * while one is in progress.
   */
  constructor(
    private readonly dispatch: Dispatch<QueuedMerge>,
    private readonly pool: WorkerPool,
    private readonly onRecord: (record: MergeRecord) => unknown,
    private readonly gather?: (work: MergeWork) => Promise<void>,
  ) {
    this.#lanes = Array.from({ length: Math.min(pool.threads, dispatch.threadsMax) }, () => ({
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
    return this.dispatch.isEmpty && this.#merges === this.#claimed ? "done" : "interrupted";
  }

  progress(): MergeProgress {
    let bytes = this.#bytes;
    const threads = this.#lanes.map(({ worker, merge, rows }): ThreadProgress => {
      if (worker === undefined || merge === undefined) return { source: undefined, rows };
      bytes += worker.counters.bytes;
      return { source: merge.days, rows: rows + worker.counters.rows };
    });
    const rows = sum(threads, (thread) => thread.rows);
    return { threads, bytes, rows, merges: this.#merges };
  }

  async #serve(lane: MergeLane): Promise<void> {
    try {
      while (!this.pool.isStopping && (lane.ahead !== undefined || !this.dispatch.isEmpty)) {
        const worker = await this.#workerOf(lane);
        // Do not claim without a thread for this lane: other lanes merge the rest.
        if (worker === undefined || this.pool.isStopping) break;
        const begun = lane.ahead ?? (await this.#begin(true));
        lane.ahead = undefined;
        if (begun === undefined) break;
        await this.#merge(lane, worker, begun);
      }
      await lane.published;
    } finally {
      // It writes to files whose state must not change after this.
      await lane.ahead?.work.catch(() => undefined);
      if (lane.ahead !== undefined) await this.dispatch.failed(lane.ahead.merge);
    }
  }

  async #merge(lane: MergeLane, worker: PoolWorker, { merge, work }: BegunMerge): Promise<void> {
    try {
      worker.counters.reset();
      lane.merge = merge;
      const merging = worker.remote.call("merge", await work);
      // It is awaited later, and may fail before that.
      merging.catch(() => undefined);
      if (this.gather !== undefined) lane.ahead = await this.#begin(false);
      const record = await merging;
      await lane.published;
      lane.published = this.#account(lane, merge, record);
      lane.published.catch(() => undefined);
    } catch (error) {
      await this.dispatch.failed(merge);
      if (!this.pool.isStopping) throw asFatal(`merged ${merge.days}`, error);
    } finally {
      lane.merge = undefined;
    }
  }

  async #begin(waits: boolean): Promise<BegunMerge | undefined> {
    const merge = await this.dispatch.claim(waits);
    if (merge === undefined) return undefined;
    this.#claimed++;
    const work = (async () => {
      const made = merge.work();
      await this.gather?.(made);
      return made;
    })();
    // It is awaited later, and may fail before that.
    work.catch(() => undefined);
    return { merge, work };
  }

  async #workerOf(lane: MergeLane): Promise<PoolWorker | undefined> {
    try {
      lane.worker ??= await this.pool.take();
      return lane.worker;
    } catch (error) {
      if (this.pool.isStopping) return undefined;
      throw asFatal("started", error);
    }
  }

  async #account(lane: MergeLane, merge: QueuedMerge, record: MergeRecord): Promise<void> {
    lane.merge = undefined;
    lane.rows += record.rows;
    this.#bytes += merge.bytes;
    this.#merges++;
    await this.onRecord(record);
    await this.dispatch.done(merge);
  }
}
