import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { Ledger, readHeads } from "../ledger/ledger.js";
import type { MergeRecord, SplitRecord } from "../ledger/ledger-records.js";
import type { RowCounts } from "../ledger/manifest.js";
import { mergedOf, readMergeState } from "../ledger/merge-state.js";
import { foldRows } from "../ledger/run-accounts.js";
import type { RunContext, RunProgress } from "../ledger/run-observer.js";
import type { WorkerOptions } from "../options/options.js";
import { layoutOfEpoch } from "../output/layout.js";
import { MergeRunner } from "../run/merge/merge-runner.js";
import { mergeProgress, mergesOf } from "../run/merge/merge-spilled.js";
import { SplitClaims } from "../run/pool/split-claims.js";
import { gatherFrom, publishMerge } from "../run/publish-work.js";
import { beginEvents, readSplits } from "../run/run-epoch.js";
import { createPool } from "../run/run-setup.js";
import type { RunSpec } from "../run/run-spec.js";
import { begunEpoch, type StartedEpoch } from "../run/start-run.js";
import type { StoreUsage } from "../store/store-usage.js";
import type { JoinedOutput } from "./join-in-store.js";
import { QueueDispatch, type QueueDispatchOptions } from "./queue-dispatch.js";
import { openQueuedOutput, type QueuedOutput, recordPath } from "./queued-output.js";
import { openQueuedRun, type QueuedRun } from "./queued-run.js";
import { harmlessUrl, type QueueClaim, WorkQueue } from "./work-queue.js";
import { requireSameRun, runIdOf } from "./worker-options.js";

/** The totals of a worker that was stopped. */
export interface WorkerResult {
  readonly splits: number;
  readonly rows: RowCounts;
  readonly durationMs: number;
  /** Requests to object stores; absent if there were none. */
  readonly store?: StoreUsage;
}

const BEAT_INTERVAL_MS = 2_000;
/** Codes of errors of a worker that was paused for too long: other workers have its work. */
const lostCodes: ReadonlySet<string> = new Set(["output_lock_lost", "split_lost"]);

/**
 * Reads splits from a queue until the signal is aborted, then finishes those in progress. Throws
 * what `WorkQueue.open` throws, `worker_differs`, and the errors of runs.
 */
export async function runWorker(
  options: WorkerOptions,
  context: RunContext,
): Promise<WorkerResult> {
  const { signal, observer, now = Date.now } = context;
  const startedMs = now();
  const note = (text: string) => observer.note?.(text);
  const queue = await WorkQueue.open({ url: options.queue, signal, note });
  const worker = new QueueWorker(options, context, queue);
  note(`${queue.workerName} waits for splits from ${harmlessUrl(options.queue)}`);
  try {
    const done = await worker.run();
    return { ...done, durationMs: now() - startedMs };
  } finally {
    await queue.close();
  }
}

/** A run whose splits a worker reads. */
interface ServedRun {
  readonly run: string;
  readonly dispatch: { readonly held: readonly QueueClaim[] };
  progress?: () => RunProgress;
}

interface Ways {
  /** Ends the work. */
  readonly signal: AbortSignal;
  readonly claims?: SplitClaims;
}

interface OpenedEpoch {
  readonly opened: QueuedRun;
  readonly epoch: StartedEpoch;
}

interface Places {
  readonly joined: JoinedOutput;
  readonly output: QueuedOutput;
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

  /** Reads splits of the run of a claim as long as the queue has some. */
  async #serve(claim: QueueClaim): Promise<void> {
    const { queue, context } = this;
    const { output: address } = claim.work;
    let isTaken = false;
    try {
      const { s3, unsafeLock } = this.options;
      const output = await openQueuedOutput({ directory: address, s3, unsafeLock });
      await output.join(queue.workerName, context, async (joined) => {
        const opened = await this.#open(claim, joined);
        isTaken = true;
        if (opened === undefined) {
          context.observer.note?.(
            `${address} now holds another run, or is not the directory that the coordinator sees: its work was skipped`,
          );
          await claim.done();
        } else if (claim.work.kind === "merge")
          await this.#merge(claim, opened, { joined, output });
        else await this.#read(claim, opened, { joined, output });
      });
    } catch (error) {
      if (!isTaken) await claim.release();
      if (context.signal.aborted && !isTaken) return;
      if (!(error instanceof SwitchyardError && lostCodes.has(error.code))) throw error;
      // Other workers now read its splits.
      context.observer.note?.(error.message);
    }
  }

  /** Returns the epoch of a claim; undefined if the output has another run. */
  async #open({ work }: QueueClaim, joined: JoinedOutput): Promise<OpenedEpoch | undefined> {
    const opened = await openQueuedRun(work.output, joined, this.options);
    if (opened === undefined) return undefined;
    const { layout } = opened.spec.output;
    const heads = (await readHeads(layout)).map(({ record }) => record);
    const number = work.epoch;
    const head = heads[number];
    if (head === undefined || runIdOf(heads) !== work.run) return undefined;
    requireSameRun(work.output, head, opened.spec);
    const ledger = new Ledger(layoutOfEpoch(layout, number));
    const record = await ledger.readRun();
    if (record === undefined) return undefined;
    await ledger.makeDirectories();
    await mkdir(temporaryDirectoryOf(opened.spec), { recursive: true });
    return { opened, epoch: begunEpoch(ledger, record) };
  }

  async #read(claim: QueueClaim, { opened, epoch }: OpenedEpoch, places: Places): Promise<void> {
    const { spec } = opened;
    const splits = new Map(epoch.record.plan.splits.map((split) => [split.id, split]));
    const dispatch = new QueueDispatch(claim, this.#dispatchOptions(claim, places, splits));
    const { claims, signal } = this.#waysOf(opened, places.joined);
    const inside = this.#begin(claim, dispatch, { signal, places });
    const pool = createPool(spec, inside);
    const records = new Map<string, SplitRecord>();
    inside.observer.note?.(`reading splits of ${claim.work.output}`);
    try {
      const shared = { context: inside, pool, records, claims };
      await readSplits(spec, epoch, epoch.record.plan.splits, shared, dispatch);
    } finally {
      await pool.end();
      await this.#end(dispatch, opened);
      this.#splits += records.size;
      this.#rows = foldRows([{ rows: this.#rows }, ...records.values()]);
    }
    places.joined.lost.throwIfAborted();
    const { read } = foldRows([...records.values()]);
    inside.observer.note?.(`read ${records.size} splits of ${claim.work.output}, ${read} rows`);
  }

  /** Merges days from the queue. */
  async #merge(claim: QueueClaim, { opened, epoch }: OpenedEpoch, places: Places): Promise<void> {
    const { joined, output } = places;
    // The rows that merges read may be gone once all merges are recorded.
    if (await output.isRecorded(claim.work, joined.lost)) return claim.done();
    await joined.prepareMerges?.();
    const { spec } = opened;
    const { layout } = epoch.ledger;
    const records = await epoch.ledger.readSplits();
    const { plan, done } = mergedOf(await readMergeState(epoch.ledger), records);
    const merges = plan && mergesOf(layout, plan, records);
    // The plan has changed, and the merges of the new one are in the queue too.
    if (plan === undefined || !merges?.has(claim.work.id)) return claim.done();
    const dispatch = new QueueDispatch(claim, this.#dispatchOptions(claim, places, merges));
    const inside = this.#begin(claim, dispatch, { signal: joined.lost, places });
    const pool = createPool(spec, inside);
    const { files } = spec.output;
    const gather = gatherFrom(files, layout);
    const publish = (record: MergeRecord) => publishMerge(files, layout, record);
    const runner = new MergeRunner(dispatch, pool, publish, gather);
    const before = done.map(({ id }) => id);
    inside.observer.started?.(() => mergeProgress(plan, before, runner));
    inside.observer.note?.(`merging days of ${claim.work.output}`);
    try {
      beginEvents(spec.options, epoch, pool);
      await runner.run();
    } finally {
      await pool.end();
      await this.#end(dispatch, opened);
    }
    joined.lost.throwIfAborted();
    inside.observer.note?.(`made ${runner.progress().merges} merges of ${claim.work.output}`);
  }

  #dispatchOptions<Work>(
    { work: { run, kind, epoch } }: QueueClaim,
    { output }: Places,
    works: ReadonlyMap<string, Work>,
  ): QueueDispatchOptions<Work> {
    const { queue, context } = this;
    const { signal: stop, now = Date.now } = context;
    return { queue, output, run, kind, epoch, works, stop, now };
  }

  /** Begins work of a run, and returns its context. */
  #begin(
    { work: { run, output } }: QueueClaim,
    dispatch: ServedRun["dispatch"],
    { signal, places }: { readonly signal: AbortSignal; readonly places: Places },
  ): RunContext {
    const at: ServedRun = { run, dispatch };
    this.#at = at;
    const { sourceFailed, note } = this.context.observer;
    return {
      signal,
      observer: {
        ...omitUndefined({ sourceFailed }),
        note: (text) => note?.(text.replaceAll(places.joined.files.directory, output)),
        started: (progress) => {
          at.progress = progress;
        },
      },
    };
  }

  async #end(dispatch: { readonly rest: readonly QueueClaim[] }, { spec }: QueuedRun) {
    this.#at = undefined;
    this.#claimed.push(...dispatch.rest);
    // This worker may have begun splits that others have now.
    const own = temporaryDirectoryOf(spec);
    await rm(own, { recursive: true, force: true });
  }

  /** Returns how splits of a run are claimed, and what ends their work. */
  #waysOf({ claimTime }: QueuedRun, joined: JoinedOutput): Ways {
    const { context } = this;
    // A stopping worker finishes the splits in progress.
    if (claimTime === undefined) return { signal: joined.lost };
    return {
      // Other workers send the rest of a split.
      signal: AbortSignal.any([joined.lost, context.signal]),
      claims: new SplitClaims((id) => joined.claim(id), claimTime),
    };
  }

  /** Reports the status of this worker to coordinators. */
  async #tell(error?: string): Promise<void> {
    const { run, dispatch, progress } = this.#at ?? {};
    const { rows = 0, rejects = 0, delivered = 0, waiting } = progress?.() ?? {};
    const nowMs = Date.now();
    const working = (dispatch?.held ?? []).map(({ work, claimedMs }) => ({
      path: recordPath(work),
      ageMs: nowMs - claimedMs,
    }));
    const beat = {
      beat: this.#beat++,
      ...omitUndefined({ run, error, waiting }),
      rows,
      rejects,
      delivered,
      working,
    };
    await this.queue.beat(beat).catch(() => undefined);
  }
}

/** Returns the directory of the temporary files of this process. */
function temporaryDirectoryOf({ options, output: { layout } }: RunSpec): string {
  return join(layout.temporaryDirectory, options.temporaryName ?? "");
}
