import { SwitchyardError } from "../../base/errors.js";
import type { ThreadProgress } from "../progress.js";
import { type CrewOptions, ThreadCrew } from "../worker/thread-crew.js";
import {
  fromFacts,
  WorkerDeath,
  WorkerThread,
  type WorkerThreadOptions,
} from "../worker/worker-thread.js";
import type { MergeRecord } from "./merge-ledger.js";
import type { MergeWork } from "./run-merge.js";

export interface MergePoolOptions extends WorkerThreadOptions, CrewOptions {
  readonly threads: number;
  /** Threads that are set up and idle; taken before others are started. */
  readonly idle: WorkerThread[];
  /** Called as soon as a merge is in the ledger, in no particular order. */
  onRecord(record: MergeRecord): void;
}

/** A merge as the pool sees it; its days are shown as YYYY-MM-DD. */
export interface PoolMerge {
  readonly work: MergeWork;
  readonly bytes: number;
  readonly days: string;
}

/** Work of this pool so far, with the merges that are under way. */
export interface MergePoolProgress {
  readonly threads: readonly ThreadProgress[];
  readonly rows: number;
  /** Of packs. */
  readonly bytes: number;
  readonly merges: number;
}

interface Slot {
  thread: WorkerThread | undefined;
  merge: PoolMerge | undefined;
  /** Of merges that are done. */
  rows: number;
}

/**
 * Runs merges on worker threads, the largest first. All errors end the run, a thread's death too: what
 * it read was written by us, so that another try would die of it as well.
 */
export class MergePool {
  readonly #queue: PoolMerge[];
  readonly #slots: readonly Slot[];
  readonly #crew: ThreadCrew;
  #isInterrupted = false;
  #bytes = 0;
  #merges = 0;

  constructor(
    merges: readonly PoolMerge[],
    private readonly options: MergePoolOptions,
  ) {
    this.#queue = [...merges].sort((one, other) => other.bytes - one.bytes);
    this.#crew = new ThreadCrew(options);
    const threads = Math.min(options.threads, merges.length);
    this.#slots = Array.from({ length: threads }, () => ({
      thread: undefined,
      merge: undefined,
      rows: 0,
    }));
  }

  /** Resolves when no worker lives any more; throws the error that ended the run, if one did. */
  async run(): Promise<"done" | "interrupted"> {
    await this.#crew.run(this.#slots.map((slot) => () => this.#serve(slot)));
    await this.#crew.end();
    return this.#isInterrupted || this.#queue.length > 0 ? "interrupted" : "done";
  }

  progress(): MergePoolProgress {
    let bytes = this.#bytes;
    const threads = this.#slots.map(({ thread, merge, rows }): ThreadProgress => {
      if (thread === undefined || merge === undefined) return { source: undefined, rows };
      bytes += thread.counters.bytes;
      return { source: merge.days, rows: rows + thread.counters.rows };
    });
    const rows = threads.reduce((sum, thread) => sum + thread.rows, 0);
    return { threads, bytes, rows, merges: this.#merges };
  }

  async #serve(slot: Slot): Promise<void> {
    try {
      while (!this.#crew.isStopping) {
        const merge = this.#queue.shift();
        if (merge === undefined) return;
        slot.merge = merge;
        const record = await this.#runMerge(slot, merge);
        slot.merge = undefined;
        if (record === undefined) {
          this.#isInterrupted = true;
          return;
        }
        slot.rows += record.rows;
        this.#bytes += merge.bytes;
        this.#merges++;
        this.options.onRecord(record);
      }
    } finally {
      slot.merge = undefined;
    }
  }

  /** undefined where the run was stopped before the merge was committed. */
  async #runMerge(slot: Slot, { work, days }: PoolMerge): Promise<MergeRecord | undefined> {
    try {
      slot.thread ??= await this.#nextThread();
      if (this.#crew.isStopping) return undefined;
      const answer = await slot.thread.merge(work);
      if (answer.kind === "unmerged") throw fromFacts(answer.error);
      return answer.kind === "merged" ? answer.record : undefined;
    } catch (error) {
      if (this.#crew.isStopping) return undefined;
      if (!(error instanceof WorkerDeath)) throw error;
      throw new SwitchyardError(
        "worker_died",
        `a worker thread died while it merged ${days}: ${error.message}; run the same command again, it goes on where it stopped`,
        { cause: error },
      );
    }
  }

  async #nextThread(): Promise<WorkerThread> {
    const idle = this.options.idle.pop();
    return idle === undefined
      ? this.#crew.add(new WorkerThread(this.options))
      : this.#crew.adopt(idle);
  }
}
