import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { Ledger, readHeads } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { RowCounts } from "../ledger/manifest.js";
import { mergedOf, readMergeState } from "../ledger/merge-state.js";
import { foldRows } from "../ledger/run-accounts.js";
import type { RunContext, RunProgress } from "../ledger/run-observer.js";
import type { WorkerOptions } from "../options/options.js";
import { layoutOfEpoch } from "../output/layout.js";
import { mergesOf, runMerges } from "../run/merge/merge-spilled.js";
import type { Dispatch } from "../run/pool/dispatch.js";
import type { WorkerPool } from "../run/pool/worker-pool.js";
import { beginEvents, readSplits } from "../run/run-epoch.js";
import { createPool } from "../run/run-setup.js";
import type { RunSpec } from "../run/run-spec.js";
import { begunEpoch, type StartedEpoch } from "../run/start-run.js";
import type { StoreUsage } from "../store/store-usage.js";
import type { JoinedOutput } from "./join-in-store.js";
import { QueueDispatch } from "./queue-dispatch.js";
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

/** The work on an epoch: splits to read, or days to merge. */
interface Task<Work> {
  /** All splits or merges of the epoch, by id. */
  readonly works: ReadonlyMap<string, Work>;
  /** Ends the work. */
  readonly signal: AbortSignal;
  readonly begins: string;
  /** Returns what was done, in words. */
  run(dispatch: Dispatch<Work>, inside: RunContext, pool: WorkerPool): Promise<string>;
}

/** An epoch of a run, as a worker has opened it for a claim. */
interface OpenedEpoch extends QueuedRun {
  readonly claim: QueueClaim;
  readonly epoch: StartedEpoch;
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
        const opened = await this.#open(claim, joined, output);
        isTaken = true;
        if (opened !== undefined) {
          await (claim.work.kind === "merge" ? this.#merge(opened) : this.#read(opened));
          return;
        }
        context.observer.note?.(
          `${address} now holds another run, or is not the directory that the coordinator sees: its work was skipped`,
        );
        await claim.done();
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
  async #open(
    claim: QueueClaim,
    joined: JoinedOutput,
    output: QueuedOutput,
  ): Promise<OpenedEpoch | undefined> {
    const { work } = claim;
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
    return { ...opened, claim, epoch: begunEpoch(ledger, record), joined, output };
  }

  async #read(opened: OpenedEpoch): Promise<void> {
    const { spec, claims, epoch, joined } = opened;
    const { splits } = epoch.record.plan;
    const records = new Map<string, SplitRecord>();
    try {
      await this.#run(opened, {
        works: new Map(splits.map((split) => [split.id, split])),
        // A stopping worker reads its splits to the end. Those that it sends, others send to the end.
        signal:
          claims === undefined ? joined.lost : AbortSignal.any([joined.lost, this.context.signal]),
        begins: "reading splits",
        async run(dispatch, context, pool) {
          await readSplits(spec, epoch, splits, { context, pool, records, claims }, dispatch);
          const { read } = foldRows([...records.values()]);
          return `read ${records.size} splits of ${opened.claim.work.output}, ${read} rows`;
        },
      });
    } finally {
      this.#splits += records.size;
      this.#rows = foldRows([{ rows: this.#rows }, ...records.values()]);
    }
  }

  /** Merges days from the queue. */
  async #merge(opened: OpenedEpoch): Promise<void> {
    const { spec, claim, epoch, joined, output } = opened;
    // The rows that merges read may be gone once all merges are recorded.
    if (await output.isRecorded(claim.work, joined.lost)) return claim.done();
    await joined.prepareMerges?.();
    const { layout } = epoch.ledger;
    const records = await epoch.ledger.readSplits();
    const { plan, done } = mergedOf(await readMergeState(epoch.ledger), records);
    const works = plan && mergesOf(layout, plan, records);
    // The plan has changed, and the merges of the new one are in the queue too.
    if (plan === undefined || !works?.has(claim.work.id)) return claim.done();
    await this.#run(opened, {
      works,
      signal: joined.lost,
      begins: "merging days",
      async run(dispatch, { observer }, pool) {
        beginEvents(spec.options, epoch, pool);
        const place = { files: spec.output.files, layout, pool, observer };
        const { merges } = await runMerges(place, { plan, done }, dispatch);
        return `made ${merges} merges of ${claim.work.output}`;
      },
    });
  }

  /** Does a task with the work that the queue has for it. */
  async #run<Work extends object>(
    { spec, claim, joined, output }: OpenedEpoch,
    { works, signal, begins, run: work }: Task<Work>,
  ): Promise<void> {
    const { queue, context } = this;
    const { signal: stop, now = Date.now } = context;
    const { run, kind, epoch, output: address } = claim.work;
    const options = { queue, output, run, kind, epoch, works, stop, now };
    const dispatch = new QueueDispatch(claim, options);
    const at: ServedRun = { run, dispatch };
    this.#at = at;
    const { sourceFailed, note } = context.observer;
    const observer: RunContext["observer"] = {
      ...omitUndefined({ sourceFailed }),
      note: (text) => note?.(text.replaceAll(joined.files.directory, address)),
      started: (progress) => {
        at.progress = progress;
      },
    };
    const inside = { signal, observer };
    const pool = createPool(spec, inside);
    note?.(`${begins} of ${address}`);
    let done: string;
    try {
      done = await work(dispatch, inside, pool);
    } finally {
      await pool.end();
      this.#at = undefined;
      this.#claimed.push(...dispatch.rest);
      // This worker may have begun splits that others have now.
      await rm(temporaryDirectoryOf(spec), { recursive: true, force: true });
    }
    joined.lost.throwIfAborted();
    note?.(done);
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
