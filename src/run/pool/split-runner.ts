import { setTimeout as sleep } from "node:timers/promises";
import { WORKER_DEATHS_MAX } from "../../base/limits.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { RemoteDeath } from "../../base/thread-call.js";
import { RANGES_AHEAD_MAX } from "../../formats/objects-ahead.js";
import type { SplitRecord } from "../../ledger/ledger-records.js";
import type { SourceFailure } from "../../ledger/manifest.js";
import type { ThreadProgress } from "../../ledger/run-observer.js";
import type { Split } from "../../plan/plan.js";
import type { Source } from "../../sources/source.js";
import { plainSource } from "../../sources/source-table.js";
import { isObjectUrl } from "../../store/object-url.js";
import type { SendWait } from "../../webhook/sender.js";
import type { ThreadCounters } from "../thread/thread-counters.js";
import type { Dispatch } from "./dispatch.js";
import type { SplitClaims } from "./split-claims.js";
import { asFatal, describeDeath, type PoolWorker, type WorkerPool } from "./worker-pool.js";

/** Interval at which splits are tried again that other processes have claimed. */
const CLAIM_POLL_MS = 500;

/** Work done on splits. */
interface Work {
  /** On disk. */
  readonly bytes: number;
  readonly rows: number;
  readonly rejects: number;
  /** Events that a service has taken; 0 if events go to files. */
  readonly delivered: number;
}

/** Work of this run so far, including splits in progress. */
export interface SplitProgress extends Work {
  readonly threads: readonly ThreadProgress[];
  /** Set while a sink waits for the service that it sends to. */
  readonly waiting?: SendWait;
  readonly splits: number;
}

/** A claimed split. */
interface SplitRun {
  readonly split: Split;
  /** Indexes of ranges that are skipped because reading them killed a worker. */
  readonly skipped: Readonly<Record<number, SourceFailure>>;
  /** No other split may run on its worker at the same time, so that a death can be attributed. */
  readonly isAlone: boolean;
  /** Ranges that were read to their end when its worker died the last time. */
  readonly rangesRead: number;
}

/** The work of one thread. */
interface Lane {
  worker: PoolWorker | undefined;
  reading: SplitRun | undefined;
  /** The next split, with objects that are requested early; an idle lane may take it. */
  reserved: SplitRun | undefined;
  /** The previous split and the counts of the worker for it; `ended` never rejects. */
  committing: { readonly run: SplitRun; readonly work: Work; ended: Promise<void> } | undefined;
  /** Resolves when the last committed split is stored; never rejects. */
  published: Promise<void> | undefined;
  /** Rows of committed splits. */
  rows: number;
}

/**
 * Runs the splits of a dispatch on a worker pool; a worker reads the next split while it commits
 * the one before. A worker that dies is replaced, and its split runs again without the source that
 * it was reading, which counts as failed. Any other error ends the run.
 */
export class SplitRunner {
  /** Splits whose worker died. */
  readonly #retries: SplitRun[] = [];
  /** Splits that are claimed and have not ended. */
  readonly #held = new Set<Split>();
  /** Splits whose claim in the output another process has, or may have. */
  readonly #aside: Split[] = [];
  readonly #lanes: readonly Lane[];
  /** Deaths of workers since a source was read. */
  #deaths = 0;
  #done: Work = { bytes: 0, rows: 0, rejects: 0, delivered: 0 };
  #splits = 0;

  /**
   * `onRecord` is called as soon as a split is committed, in no particular order. While its promise is
   * pending, its thread reads the next split, and commits no further one. `claims`: required for splits
   * that must not be done twice, unless this process has the whole output.
   */
  constructor(
    private readonly dispatch: Dispatch<Split>,
    private readonly pool: WorkerPool,
    private readonly onRecord: (record: SplitRecord, split: Split) => unknown,
    private readonly claims?: SplitClaims,
  ) {
    this.#lanes = Array.from({ length: Math.min(pool.threads, dispatch.threadsMax) }, () => ({
      worker: undefined,
      reading: undefined,
      reserved: undefined,
      committing: undefined,
      published: undefined,
      rows: 0,
    }));
  }

  /** Resolves when no split is in progress; throws the error that ended the run. */
  async run(): Promise<"done" | "interrupted"> {
    try {
      await this.pool.run(this.#lanes.map((lane) => () => this.#serve(lane)));
      return this.dispatch.isEmpty && this.#held.size === 0 ? "done" : "interrupted";
    } finally {
      await Promise.all([...this.#held].map((split) => this.#end(split, "failed")));
    }
  }

  progress(): SplitProgress {
    let work = this.#done;
    const waiting = this.#lanes.map(({ worker }) => worker?.counters.waiting).find(Boolean);
    const threads = this.#lanes.map(({ worker, reading, committing, rows }): ThreadProgress => {
      const written = committing?.work.rows ?? 0;
      if (committing !== undefined) work = addWork(work, committing.work);
      if (worker === undefined || reading === undefined) {
        return { source: undefined, rows: rows + written };
      }
      const { counters } = worker;
      const { split } = reading;
      work = addWork(work, workOf(counters, split));
      const source = split.ranges[counters.range]?.source.name;
      return { source, rows: rows + written + counters.rows };
    });
    return { ...work, threads, splits: this.#splits, ...omitUndefined({ waiting }) };
  }

  async #serve(lane: Lane): Promise<void> {
    while (await this.#hasWorker(lane)) {
      const run = await this.#take(lane);
      if (run !== undefined) await this.#read(lane, run);
      else if (lane.committing !== undefined) await lane.committing.ended;
      else break;
      const death = lane.worker?.remote.death;
      if (death !== undefined) await this.#recover(lane, death);
    }
    await lane.published;
    if (lane.worker !== undefined) this.pool.giveBack(lane.worker);
  }

  /**
   * Takes a worker if the lane has none and there are splits to read. Returns false if the system
   * refuses a thread: the queue is unchanged, and other lanes read the rest.
   */
  async #hasWorker(lane: Lane): Promise<boolean> {
    if (lane.worker !== undefined || !this.#hasWork || this.pool.isStopping) return true;
    try {
      lane.worker = await this.pool.take();
    } catch (error) {
      if (!this.pool.isStopping) throw asFatal("started", error);
    }
    if (lane.worker !== undefined) return true;
    if (lane.reserved !== undefined) this.#retries.push(lane.reserved);
    lane.reserved = undefined;
    return false;
  }

  get #hasWork(): boolean {
    const isReserved = this.#lanes.some(({ reserved }) => reserved !== undefined);
    const isWaiting = this.#retries.length > 0 || this.#aside.length > 0;
    return isReserved || isWaiting || !this.dispatch.isEmpty;
  }

  /** Returns the next split if the lane's worker can read it now. */
  async #take(lane: Lane): Promise<SplitRun | undefined> {
    const { worker, committing } = lane;
    if (this.pool.isStopping || worker === undefined) return undefined;
    const isBusy = committing !== undefined;
    // A new worker reads the next split sooner than one that still has to commit.
    const mustWait =
      committing?.run.isAlone === true ||
      this.#retries[0]?.isAlone === true ||
      this.pool.isStarting;
    if (isBusy && mustWait) return undefined;
    const run = takeReserved(lane) ?? this.#retries.shift() ?? (await this.#claim(!isBusy));
    if (run !== undefined || isBusy) return run;
    const other = this.#lanes.find(({ reserved }) => reserved !== undefined);
    return other && takeReserved(other);
  }

  /** Splits that are claimed when the pool stops are given back when the run ends. */
  async #claim(waits: boolean): Promise<SplitRun | undefined> {
    const { signal } = this.pool;
    while (!this.pool.isStopping) {
      const split = await this.#takeFree();
      if (this.pool.isStopping) break;
      if (split !== undefined) return { split, skipped: {}, isAlone: false, rangesRead: 0 };
      const isBusy = this.#aside.length > 0;
      const next = await this.dispatch.claim(waits && !isBusy);
      if (next !== undefined) {
        this.#held.add(next);
        this.#aside.push(next);
      } else if (!waits || !isBusy) break;
      else await sleep(CLAIM_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** Returns a split that no other process has. Those that others have recorded are done. */
  async #takeFree(): Promise<Split | undefined> {
    for (let left = this.#aside.length; left > 0; left--) {
      const split = this.#aside.shift();
      if (split === undefined || this.claims === undefined) return split;
      const isFree = await this.claims.take(split);
      // Another process may have recorded it before its claim was free.
      if (await this.#isRecorded(split)) await this.#end(split, "done");
      else if (isFree) return split;
      else this.#aside.push(split);
    }
    return undefined;
  }

  async #isRecorded(split: Split): Promise<boolean> {
    return (await this.dispatch.isRecorded?.(split)) === true;
  }

  async #read(lane: Lane, run: SplitRun): Promise<void> {
    const { split, skipped } = run;
    const { counters, remote } = lane.worker as PoolWorker;
    counters.reset();
    lane.reading = run;
    try {
      const hasObjects = split.ranges.some(({ source }) => isObjectUrl(source.path));
      // Another process may be free for the next split before this one is read.
      const isAlone = this.dispatch.isRecorded === undefined;
      if (hasObjects && isAlone) lane.reserved ??= await this.#claim(false);
      const next = lane.reserved && plainSplit(lane.reserved.split, RANGES_AHEAD_MAX);
      await remote.call("read", { split: plainSplit(split), skipped, ...omitUndefined({ next }) });
      // The worker has answered for the previous commit, so this does not wait.
      await lane.committing?.ended;
      await lane.published;
      if (await this.#isRecorded(split)) {
        await remote.call("discard");
        lane.reading = undefined;
        await this.#end(split, "done");
        return;
      }
      const work = { ...workOf(counters, split), bytes: split.bytes };
      lane.reading = undefined;
      lane.committing = { run, work, ended: Promise.resolve() };
      lane.committing.ended = this.#commit(lane, remote, split);
    } catch (error) {
      // `recover` decides what a dead worker's splits need.
      if (error instanceof RemoteDeath) return lane.committing?.ended;
      lane.reading = undefined;
      this.pool.fail(error);
    }
  }

  /** Leaves `lane.committing` as it is only if the worker died. */
  async #commit(lane: Lane, remote: PoolWorker["remote"], split: Split): Promise<void> {
    try {
      const record = await remote.call("commit");
      lane.committing = undefined;
      this.#account(lane, split, record);
    } catch (error) {
      if (error instanceof RemoteDeath) return;
      lane.committing = undefined;
      this.pool.fail(error);
    }
  }

  /**
   * Queues the splits of a dead worker again. If two were in progress, we cannot tell which of them
   * killed it, so both are retried in isolation.
   */
  async #recover(lane: Lane, death: RemoteDeath): Promise<void> {
    const { worker, reading, committing } = lane as Lane & { worker: PoolWorker };
    lane.worker = undefined;
    lane.reading = undefined;
    lane.committing = undefined;
    await this.pool.discard(worker);
    if (this.pool.isStopping) return;
    const run = reading ?? committing?.run;
    if (reading !== undefined && committing !== undefined) {
      this.#retries.unshift({ ...committing.run, isAlone: true }, { ...reading, isAlone: true });
    } else if (run !== undefined) {
      const rerun = withoutFailed(run, worker.counters.range, death);
      this.#countDeath(rerun.rangesRead > run.rangesRead, death);
      this.#retries.unshift(rerun);
    }
  }

  /**
   * Throws `worker_died` if workers die of several sources in a row. The cause is then not in the
   * sources, and starting a worker for each of thousands would take hours.
   */
  #countDeath(hasRead: boolean, death: RemoteDeath): void {
    this.#deaths = hasRead ? 1 : this.#deaths + 1;
    if (this.#deaths <= WORKER_DEATHS_MAX) return;
    throw asFatal(`read the last of ${this.#deaths} sources that each killed their worker`, death);
  }

  #account(lane: Lane, split: Split, record: SplitRecord): void {
    const { read: rows, rejected: rejects } = record.rows;
    const delivered = record.counts?.["delivered"] ?? 0;
    if (rows > 0) this.#deaths = 0;
    lane.rows += rows;
    this.#done = addWork(this.#done, { bytes: split.bytes, rows, rejects, delivered });
    this.#splits++;
    lane.published = this.#publish(record, split);
  }

  async #end(split: Split, how: "done" | "failed"): Promise<void> {
    this.#held.delete(split);
    await this.claims?.release(split);
    await this.dispatch[how](split);
  }

  async #publish(record: SplitRecord, split: Split): Promise<void> {
    try {
      await this.onRecord(record, split);
      await this.#end(split, "done");
    } catch (error) {
      this.pool.fail(error);
    }
  }
}

function takeReserved(lane: Lane): SplitRun | undefined {
  const { reserved } = lane;
  lane.reserved = undefined;
  return reserved;
}

/** Returns a split as plain data for another thread, with all ranges or only the first ones. */
export function plainSplit({ id, bytes, ranges }: Split, rangesMax = ranges.length): Split {
  const sources = new Map<Source, Source>();
  const plain = (source: Source) => {
    const known = sources.get(source) ?? plainSource(source);
    sources.set(source, known);
    return known;
  };
  return {
    id,
    bytes,
    ranges: ranges
      .slice(0, rangesMax)
      .map(({ source, ...range }) => ({ ...range, source: plain(source) })),
  };
}

/** Returns the counts of a worker for the split that it reads or has just read. */
function workOf(counters: ThreadCounters, split: Split): Work {
  const { rows, rejects, delivered } = counters;
  return { bytes: Math.min(counters.bytes, split.bytes), rows, rejects, delivered };
}

function addWork(one: Work, other: Work): Work {
  return {
    bytes: one.bytes + other.bytes,
    rows: one.rows + other.rows,
    rejects: one.rejects + other.rejects,
    delivered: one.delivered + other.delivered,
  };
}

/**
 * Skips the range that the worker was reading when it died, or all ranges if it was reading none.
 * Throws `worker_died` if they are skipped already.
 */
function withoutFailed(run: SplitRun, range: number, death: RemoteDeath): SplitRun {
  const { split } = run;
  const indexes = range >= 0 ? [range] : split.ranges.map((_, index) => index);
  const fresh = indexes.filter((index) => run.skipped[index] === undefined);
  if (fresh.length === 0) throw asFatal(`wrote split ${split.id}`, death);
  const skipped = { ...run.skipped };
  for (const index of fresh) {
    const source = split.ranges[index]?.source.name ?? "";
    const message = `${source}: its worker thread died: ${describeDeath(death)}`;
    skipped[index] = { source, code: "source_crashed", message };
  }
  const before = split.ranges.slice(0, Math.max(0, range));
  const rangesRead = before.filter((_, index) => run.skipped[index] === undefined).length;
  return { ...run, skipped, rangesRead };
}
