import { hostname } from "node:os";
import { epochOf } from "../../base/epoch.js";
import { SwitchyardError } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { version } from "../../base/package-files.js";
import type { StoreUsage } from "../../store/store-usage.js";
import { layoutOfEpoch } from "../ledger/layout.js";
import { Ledger, readHeads } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { RowCounts } from "../manifest.js";
import { nothingMerged } from "../merge/merge-state.js";
import { foldRows } from "../run-accounts.js";
import { readSplits } from "../run-epoch.js";
import type { RunOutside } from "../run-job.js";
import type { RunContext, RunProgress } from "../run-observer.js";
import { createPool } from "../run-setup.js";
import type { StartedEpoch } from "../start-run.js";
import { LeasedDispatch } from "./leased-dispatch.js";
import type { JoinedOutput, QueuedOutput } from "./queued-output.js";
import { openQueuedRun, type QueuedRun } from "./queued-run.js";
import { RunDispatch } from "./run-dispatch.js";
import { harmlessUrl, type QueueClaim, WorkQueue } from "./work-queue.js";
import { type OwnOptions, requireSameRun, runIdOf } from "./worker-options.js";

/** The options of a worker. */
export interface WorkerOptions extends OwnOptions {
  /** Address of Redis; may hold a password. */
  readonly queue: string;
  /** Write to a store that ignores conditions. */
  readonly unsafeLock: boolean;
}

/** The work of a worker that was stopped. */
export interface WorkerResult {
  readonly splits: number;
  readonly rows: RowCounts;
  readonly durationMs: number;
  /** Requests to object stores; absent if there were none. */
  readonly store?: StoreUsage;
}

/** The outside of a worker. */
export interface WorkerOutside extends RunOutside {
  /** `address`: a directory, or such as `s3://bucket/prefix`. */
  openOutput(address: string, options: WorkerOptions): Promise<QueuedOutput>;
  /** Compiled entry file of the threads that send. */
  readonly sendEntry: URL;
}

const BEAT_INTERVAL_MS = 2_000;
/** Other workers do the work of one that was paused for too long. */
const lostCodes: ReadonlySet<string> = new Set(["output_lock_lost", "split_lost"]);

/**
 * Reads the splits that a queue gives out until the signal is aborted; those that are at work are then read to
 * their end. Throws what `WorkQueue.open` throws, `worker_differs`, and the errors of runs.
 */
export async function runWorker(
  options: WorkerOptions,
  context: RunContext,
  outside: WorkerOutside,
): Promise<WorkerResult> {
  const startedMs = outside.now();
  const { signal, observer } = context;
  const note = (text: string) => observer.note?.(text);
  const queue = await WorkQueue.open({ url: options.queue, signal, note });
  const worker = new QueueWorker(options, context, outside, queue);
  note(`${queue.workerName} waits for splits from ${harmlessUrl(options.queue)}`);
  try {
    const done = await worker.run();
    return { ...done, durationMs: outside.now() - startedMs };
  } finally {
    await queue.close();
  }
}

/** A run that a worker reads splits of. */
interface ServedRun {
  readonly run: string;
  readonly dispatch: RunDispatch;
  progress?: () => RunProgress;
}

interface Ways {
  readonly outside: RunOutside;
  /** Ends the work. */
  readonly signal: AbortSignal;
  readonly leased?: LeasedDispatch;
}

class QueueWorker {
  #splits = 0;
  #rows = foldRows([]);
  readonly #claimed: QueueClaim[] = [];
  #beat = 0;
  #at: ServedRun | undefined;

  constructor(
    private readonly options: WorkerOptions,
    private readonly context: RunContext,
    private readonly outside: WorkerOutside,
    private readonly queue: WorkQueue,
  ) {}

  /** Returns the number of splits that it has read, and their rows. */
  async run(): Promise<Pick<WorkerResult, "splits" | "rows">> {
    const { queue } = this;
    const timer = setInterval(() => void this.#tell(), BEAT_INTERVAL_MS);
    try {
      await this.#tell();
      for (let claim = await this.#next(); claim !== undefined; claim = await this.#next())
        await this.#serve(claim);
      await queue.beat(undefined);
      return { splits: this.#splits, rows: this.#rows };
    } catch (error) {
      clearInterval(timer);
      if (error instanceof Error) await this.#tell(error.message);
      throw error;
    } finally {
      clearInterval(timer);
      for (const claim of this.#claimed) await claim.release();
    }
  }

  async #next(): Promise<QueueClaim | undefined> {
    const { signal } = this.context;
    while (!signal.aborted) {
      const claim = this.#claimed.shift() ?? (await this.queue.claim(true));
      if (claim !== undefined && !signal.aborted) return claim;
      await claim?.release();
    }
    return undefined;
  }

  /** Reads splits of the run of a claim, as long as the queue has some of it. */
  async #serve(claim: QueueClaim): Promise<void> {
    const { options, outside, queue, context } = this;
    const { output: address } = claim.work;
    let isTaken = false;
    try {
      const output = await outside.openOutput(address, options);
      await output.join(queue.workerName, context, async (joined) => {
        const opened = await this.#open(claim, joined);
        isTaken = true;
        if (opened === undefined) {
          context.observer.note?.(`${address} has another run by now: its split was left out`);
          await claim.done();
        } else await this.#read(claim, opened, { joined, output });
      });
    } catch (error) {
      if (!isTaken) await claim.release();
      if (context.signal.aborted && !isTaken) return;
      if (!(error instanceof SwitchyardError && lostCodes.has(error.code))) throw error;
      // Others read its splits by now.
      context.observer.note?.(error.message);
    }
  }

  /** Returns the epoch of a claim; undefined if the output has another run. */
  async #open({ work }: QueueClaim, joined: JoinedOutput) {
    const opened = await openQueuedRun(work.output, joined, this.options);
    if (opened === undefined) return undefined;
    const { layout } = opened.job;
    const heads = (await readHeads(layout)).map(({ record }) => record);
    const number = epochOf(work.split);
    const head = heads[number];
    if (head === undefined || runIdOf(heads) !== work.run) return undefined;
    requireSameRun(work.output, head, opened.job);
    const ledger = new Ledger(layoutOfEpoch(layout, number));
    const record = await ledger.readRun();
    if (record === undefined) return undefined;
    await ledger.makeDirectories();
    const epoch: StartedEpoch = {
      ledger,
      record,
      finished: new Map(),
      merges: nothingMerged,
      lost: 0,
      vanished: new Set(),
    };
    return { opened, epoch };
  }

  async #read(
    claim: QueueClaim,
    { opened, epoch }: { readonly opened: QueuedRun; readonly epoch: StartedEpoch },
    { joined, output }: { readonly joined: JoinedOutput; readonly output: QueuedOutput },
  ): Promise<void> {
    const { queue, context } = this;
    const { job } = opened;
    const { run, output: address } = claim.work;
    const { splits } = epoch.record.plan;
    const dispatch = new RunDispatch(claim, {
      queue,
      output,
      run,
      splits: new Map(splits.map((split) => [split.id, split])),
      stop: context.signal,
      now: this.outside.now,
    });
    const at: ServedRun = { run, dispatch };
    this.#at = at;
    const { sourceFailed, note } = context.observer;
    const { outside, leased, signal } = this.#waysOf(opened, dispatch, joined);
    const inside: RunContext = {
      signal,
      observer: {
        ...omitUndefined({ sourceFailed }),
        note: (text) => note?.(text.replaceAll(joined.directory, address)),
        started: (progress) => {
          at.progress = progress;
        },
      },
    };
    const pool = createPool(job, inside, outside);
    const records = new Map<string, SplitRecord>();
    note?.(`reading splits of ${address}`);
    try {
      const shared = { context: inside, outside, pool, records };
      await readSplits(job, epoch, splits, shared, leased ?? dispatch);
    } finally {
      await leased?.close();
      await pool.end();
      this.#at = undefined;
      this.#claimed.push(...dispatch.rest);
      this.#splits += records.size;
      this.#rows = foldRows([{ rows: this.#rows }, ...records.values()]);
    }
    joined.lost.throwIfAborted();
    note?.(
      `read ${records.size} splits of ${address}, ${foldRows([...records.values()]).read} rows`,
    );
  }

  /** Returns how splits of a run are claimed, and what ends their work. */
  #waysOf({ claimTime }: QueuedRun, dispatch: RunDispatch, joined: JoinedOutput): Ways {
    const { outside, context } = this;
    // Told to stop, it reads the splits at work to their end.
    if (claimTime === undefined) return { outside, signal: joined.lost };
    const lease = (split: string) => joined.lease(split);
    return {
      outside: { ...outside, workerEntry: outside.sendEntry },
      // Others send the rest of a split.
      signal: AbortSignal.any([joined.lost, context.signal]),
      leased: new LeasedDispatch(dispatch, { lease, claimTime, stop: context.signal }),
    };
  }

  /** Tells coordinators what it does. */
  async #tell(error?: string): Promise<void> {
    const { run, dispatch, progress } = this.#at ?? {};
    const { rows = 0, bytesDone = 0, splitsDone = 0, waiting } = progress?.() ?? {};
    const nowMs = Date.now();
    const working = [...(dispatch?.held ?? [])].map(({ work, claimedMs }) => ({
      split: work.split,
      ageMs: nowMs - claimedMs,
    }));
    const beat = {
      host: hostname(),
      pid: process.pid,
      version,
      threads: this.options.threads,
      beat: this.#beat++,
      ...omitUndefined({ run, error, waiting }),
      rows,
      bytes: bytesDone,
      splits: splitsDone,
      working,
    };
    await this.queue.beat(beat).catch(() => undefined);
  }
}
