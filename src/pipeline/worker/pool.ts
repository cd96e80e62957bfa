import type { SplitRecord } from "../ledger/ledger.js";
import type { Split } from "../plan.js";
import type { ThreadProgress } from "../progress.js";
import { asFatal, type SplitRun, withoutFailed } from "./split-run.js";
import { addWork, noWork, type Work, workOf } from "./split-work.js";
import { type CrewOptions, ThreadCrew } from "./thread-crew.js";
import type { SplitAnswer } from "./worker-messages.js";
import { fromFacts, WorkerDeath, WorkerThread, type WorkerThreadOptions } from "./worker-thread.js";

export interface PoolOptions extends WorkerThreadOptions, CrewOptions {
  readonly threads: number;
  /** Gets the threads that are left when there is nothing more to do: they are the caller's to end. */
  readonly idle: WorkerThread[];
  /** Called as soon as a split is committed, in no particular order. */
  onRecord(record: SplitRecord, split: Split): void;
}

/** Work of this pool so far, with the splits that are under way. */
export interface PoolProgress extends Work {
  readonly threads: readonly ThreadProgress[];
  /** A sink waits for the service that it sends to. */
  readonly waiting: boolean;
  readonly splits: number;
}

interface Slot {
  thread: WorkerThread | undefined;
  reading: SplitRun | undefined;
  /** The split that was read before, and what the thread counted for it. */
  committing: { readonly run: SplitRun; readonly work: Work } | undefined;
  /** Of splits that are committed. */
  rows: number;
}

/**
 * Runs splits on worker threads, the largest first; a thread reads the next split while it commits the
 * one before. A worker that dies is replaced, and its split is run again without the source that it was
 * reading, which has failed. Any other error ends the run.
 */
export class SplitPool {
  readonly #queue: SplitRun[];
  readonly #splitsToRun: number;
  readonly #slots: readonly Slot[];
  readonly #crew: ThreadCrew;
  #done = noWork;
  #splits = 0;

  constructor(
    splits: readonly Split[],
    private readonly options: PoolOptions,
  ) {
    this.#queue = [...splits]
      .sort((a, b) => b.bytes - a.bytes)
      .map((split) => ({ split, skipped: {}, isAlone: false }));
    this.#splitsToRun = splits.length;
    this.#crew = new ThreadCrew(options);
    const threads = Math.min(options.threads, splits.length);
    this.#slots = Array.from({ length: threads }, () => ({
      thread: undefined,
      reading: undefined,
      committing: undefined,
      rows: 0,
    }));
  }

  /** Resolves when no worker works any more; throws the error that ended the run, if one did. */
  async run(): Promise<"done" | "interrupted"> {
    await this.#crew.run(this.#slots.map((slot) => () => this.#serve(slot)));
    this.options.idle.push(...this.#crew.release());
    return this.#splits === this.#splitsToRun ? "done" : "interrupted";
  }

  progress(): PoolProgress {
    let work = this.#done;
    const waiting = this.#slots.some(({ thread }) => thread?.counters.waiting === true);
    const threads = this.#slots.map(({ thread, reading, committing, rows }): ThreadProgress => {
      const written = committing?.work.rows ?? 0;
      if (committing !== undefined) work = addWork(work, committing.work);
      if (thread === undefined || reading === undefined) {
        return { source: undefined, rows: rows + written };
      }
      const { counters } = thread;
      work = addWork(work, workOf(counters, reading.split));
      const source = reading.split.ranges[counters.range]?.source.name;
      return { source, rows: rows + written + counters.rows };
    });
    return { ...work, threads, waiting, splits: this.#splits };
  }

  async #serve(slot: Slot): Promise<void> {
    try {
      for (;;) {
        const run = this.#take(slot);
        if (run !== undefined) await this.#begin(slot, run);
        if (slot.thread === undefined || !isAtWork(slot)) return;
        try {
          this.#hear(slot, await slot.thread.answer());
        } catch (error) {
          if (!(error instanceof WorkerDeath)) throw error;
          await this.#replace(slot, slot.thread, error);
        }
      }
    } finally {
      slot.reading = undefined;
      slot.committing = undefined;
    }
  }

  /** The next split, where the slot's thread can take it now. */
  #take({ reading, committing }: Slot): SplitRun | undefined {
    if (this.#crew.isStopping || reading !== undefined) return undefined;
    const mustWait = committing?.run.isAlone === true || this.#queue[0]?.isAlone === true;
    return committing !== undefined && mustWait ? undefined : this.#queue.shift();
  }

  async #begin(slot: Slot, run: SplitRun): Promise<void> {
    try {
      slot.thread ??= await this.#crew.add(new WorkerThread(this.options));
    } catch (error) {
      if (this.#crew.isStopping) return;
      throw asFatal(run.split, error);
    }
    if (this.#crew.isStopping) return;
    const { split, skipped } = run;
    slot.thread.run({ split, skipped });
    slot.reading = run;
  }

  #hear(slot: Slot, answer: SplitAnswer): void {
    const { thread, reading, committing } = slot;
    const isReading = answer.splitId === reading?.split.id;
    if (answer.kind === "written" && isReading && thread !== undefined) {
      const { bytes } = reading.split;
      slot.committing = {
        run: reading,
        work: { ...workOf(thread.counters, reading.split), bytes },
      };
      slot.reading = undefined;
      return;
    }
    if (isReading) slot.reading = undefined;
    else slot.committing = undefined;
    if (answer.kind === "failed") this.#crew.fail(fromFacts(answer.error));
    if (answer.kind === "done" && committing !== undefined) {
      this.#account(slot, committing.run.split, answer.record);
    }
  }

  /**
   * Where two splits were at work when the thread died, nobody knows which of them it died of: both are
   * run again, each alone.
   */
  async #replace(slot: Slot, thread: WorkerThread, death: WorkerDeath): Promise<void> {
    const { reading, committing } = slot;
    await this.#crew.remove(thread);
    slot.thread = undefined;
    slot.reading = undefined;
    slot.committing = undefined;
    if (this.#crew.isStopping) return;
    const run = reading ?? committing?.run;
    if (reading !== undefined && committing !== undefined) {
      this.#queue.unshift({ ...committing.run, isAlone: true }, { ...reading, isAlone: true });
    } else if (run !== undefined) {
      this.#queue.unshift(withoutFailed(run, thread.counters.range, death));
    }
  }

  #account(slot: Slot, split: Split, record: SplitRecord): void {
    const { read: rows, rejected: rejects } = record.rows;
    const delivered = record.counts?.["delivered"] ?? 0;
    slot.rows += rows;
    this.#done = addWork(this.#done, { bytes: split.bytes, rows, rejects, delivered });
    this.#splits++;
    this.options.onRecord(record, split);
  }
}

function isAtWork({ reading, committing }: Slot): boolean {
  return reading !== undefined || committing !== undefined;
}
