import { setTimeout as sleep } from "node:timers/promises";
import { exitCodes, SwitchyardError, throwIfInterrupted } from "../base/errors.js";
import { withFrugalHeap } from "../base/frugal-heap.js";
import { sum } from "../base/sum.js";
import { readHeads } from "../ledger/ledger.js";
import type { PlannedMerge } from "../ledger/ledger-records.js";
import type { RunAccounts } from "../ledger/manifest.js";
import { isMerged } from "../ledger/merge-state.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { StoredOptions } from "../options/options.js";
import { COORDINATOR } from "../output/shared-locks.js";
import { beginMerges } from "../run/merge/merge-spilled.js";
import { unfinishedSplits } from "../run/run-epoch.js";
import type { DiscoveredInputs, RunJob, RunOutside, RunPublisher } from "../run/run-job.js";
import { discoverInputs } from "../run/run-setup.js";
import type { RunResult } from "../run/run-splits.js";
import type { StartedEpoch } from "../run/start-run.js";
import type { QueuedWork } from "./queue-records.js";
import { type QueuedOutput, recordPath } from "./queued-output.js";
import { planShared, type SharedOutput } from "./run-shard.js";
import { harmlessUrl, WorkQueue } from "./work-queue.js";
import { runIdOf, writeWorkerOptions } from "./worker-options.js";
import { WorkerWatch } from "./worker-watch.js";

/** The dependencies of a coordinator, for runs with these options and results. */
export interface CoordinatorOutside<
  Options extends StoredOptions,
  Result extends RunResult<RunAccounts>,
> extends RunOutside {
  /** Address of Redis. */
  readonly queue: string;
  readonly output: QueuedOutput;
  /** Returns the job of a process that reads splits. `options`: those of the run, or of a copy of its output. */
  jobOf(options: Options, publisher?: RunPublisher): Promise<RunJob<RunAccounts>>;
  /** Merges and writes the manifest; inputs are those that were planned. */
  finish(inputs: DiscoveredInputs): Promise<Result>;
}

/** The splits of a run, or the merges once all splits are recorded. */
interface PlannedWork {
  readonly run: string;
  readonly kind: QueuedWork["kind"];
  /** Those without a record. */
  readonly left: readonly LeftWork[];
  /** Number and bytes of all work. */
  readonly count: number;
  readonly bytes: number;
  /** Rows of the splits that have a record. */
  readonly rowsKnown: number;
}

interface LeftWork {
  readonly epoch: number;
  readonly id: string;
  readonly bytes: number;
}

const POLL_MS = 100;
/** Each poll asks Redis about all pending splits: 4,096 of them, ten times a second, took 16 % of a processor. */
const SPLITS_PER_POLL_MS = 4;
const BEAT_POLL_MS = 1_000;
/** Interval of checks of the output. Work that is neither recorded nor queued is queued again. */
const SWEEP_INTERVAL_MS = 15_000;
const WAIT_NOTE_MS = 10_000;
/** Up to this many merges are faster to do than to hand out, so the run that finishes does them. */
const MERGES_HERE_MAX = 8;

/**
 * Coordinates a run whose splits the workers of a queue read: plans, queues splits and merges, watches the
 * workers, and finishes. It can be killed and started again at any time, also while another coordinator of
 * the same run works. Throws what `runSplits` and `WorkQueue.open` throw, and `split_deadly`.
 */
export async function runCoordinator<
  Options extends StoredOptions,
  Result extends RunResult<RunAccounts>,
>(
  options: Options,
  context: RunContext,
  outside: CoordinatorOutside<Options, Result>,
): Promise<Result> {
  const { signal, observer } = context;
  const note = (text: string) => observer.note?.(text);
  const startedMs = outside.now();
  const queue = await WorkQueue.open({ url: outside.queue, signal, note });
  try {
    const job = await outside.jobOf(options);
    const inputs = await withFrugalHeap(() => discoverInputs(job, outside, signal));
    throwIfInterrupted(signal);
    const first = await plan(options, context, outside, inputs);
    for (let planned = first; planned.left.length > 0; ) {
      await watch(options, context, outside, queue, planned);
      if (planned.kind === "merge") break;
      await waitForWorkers(context, outside.output, queue, planned.run);
      // Do not read any split again, even if one of its sources has failed.
      const again = { ...options, fresh: false };
      planned = await onceFree(context, () => plan(again, context, outside, inputs, true));
    }
    await waitForWorkers(context, outside.output, queue, first.run);
    const result = await onceFree(context, () => outside.finish(inputs));
    if (first.left.length === 0) return result;
    return {
      ...result,
      // By all workers.
      rowsRead: result.manifest.rows.read - first.rowsKnown,
      bytesRead: first.kind === "merge" ? 0 : sum(first.left, ({ bytes }) => bytes),
      durationMs: outside.now() - startedMs,
    };
  } finally {
    await queue.close();
  }
}

/** `finishesOnly`: all splits were read before. */
function plan<Options extends StoredOptions, Result extends RunResult<RunAccounts>>(
  options: Options,
  context: RunContext,
  outside: CoordinatorOutside<Options, Result>,
  inputs: DiscoveredInputs,
  finishesOnly = false,
): Promise<PlannedWork> {
  const startedMs = outside.now();
  const planHere = async (local: Options, inside: RunContext, output: SharedOutput) => {
    const job = { ...(await outside.jobOf(local, output.publisher)), finishesOnly };
    const planning = { planner: COORDINATOR, context: inside, outside, startedMs, output } as const;
    const { result } = await planShared(
      job,
      inputs,
      planning,
      async ({ isAlone }, epochs): Promise<PlannedWork> => {
        const splits = splitsLeft(epochs);
        const merges = isAlone && splits.length === 0 ? await mergesLeft(job, epochs) : nothingLeft;
        const areMergesLeft = merges.left.length > MERGES_HERE_MAX;
        const left = areMergesLeft ? merges.left : splits;
        if (isAlone && left.length > 0) {
          await writeWorkerOptions(job.layout, job.options);
          const [first] = epochs;
          if (first !== undefined) await job.begun?.(first.record);
          await output.publisher?.planned();
        }
        const all = epochs.flatMap(({ record }) => record.plan.splits);
        const known = epochs.flatMap(({ finished }) => [...finished.values()]);
        return {
          run: runIdOf((await readHeads(job.layout)).map(({ record }) => record)),
          rowsKnown: sum(known, ({ rows }) => rows.read),
          ...(areMergesLeft
            ? { kind: "merge", ...merges }
            : { kind: "split", left, ...totalOf(all) }),
        };
      },
    );
    return result;
  };
  return withFrugalHeap(() => outside.output.plan(options, context, planHere));
}

const nothingLeft = { left: [], count: 0, bytes: 0 };

function splitsLeft(epochs: readonly StartedEpoch[]): readonly LeftWork[] {
  return epochs.flatMap(({ ledger, record, finished }) =>
    unfinishedSplits(record.plan.splits, finished).map(({ id, bytes }) => ({
      epoch: ledger.layout.epoch,
      id,
      bytes,
    })),
  );
}

/** Returns the remaining merges, and plans those of epochs without a plan. */
async function mergesLeft(
  { options: { splitBytes: mergeBytes } }: RunJob<RunAccounts>,
  epochs: readonly StartedEpoch[],
) {
  const all: PlannedMerge[] = [];
  const left: LeftWork[] = [];
  for (const { ledger, merges, finished } of epochs) {
    const records = [...finished.values()];
    if (isMerged(merges, records)) continue;
    const { layout } = ledger;
    const begun = merges.plan ?? (await beginMerges({ layout, ledger, records, mergeBytes }));
    const done = new Set(merges.done.map(({ id }) => id));
    all.push(...begun.merges);
    for (const { id, bytes } of begun.merges)
      if (!done.has(id)) left.push({ epoch: layout.epoch, id, bytes });
  }
  return { left, ...totalOf(all) };
}

function totalOf(all: readonly { readonly bytes: number }[]) {
  return { count: all.length, bytes: sum(all, ({ bytes }) => bytes) };
}

/** Queues the work, and waits until all of it is recorded. */
async function watch(
  { outputDirectory }: StoredOptions,
  { signal, observer }: RunContext,
  { output, queue: url }: { readonly output: QueuedOutput; readonly queue: string },
  queue: WorkQueue,
  { run, kind, left, count, bytes }: PlannedWork,
): Promise<void> {
  await queue.unmarkEnded(run);
  const bytesOf = new Map(left.map((one) => [recordPath({ kind, ...one }), one.bytes]));
  const watched = new WorkerWatch(run, { kind, count, bytes, bytesOf });
  observer.started?.(() => watched.progress());
  // The largest first, as they end last.
  let pending: readonly QueuedWork[] = [...left]
    .sort((one, other) => other.bytes - one.bytes)
    .map(({ epoch, id }) => ({ run, output: outputDirectory, kind, epoch, id }));
  let sweptMs = Number.NEGATIVE_INFINITY;
  let polledMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const nowMs = performance.now();
    const missing = await queue.missing(pending);
    if (nowMs - sweptMs > SWEEP_INTERVAL_MS || missing.length === pending.length) {
      const recorded = await output.recorded(kind, signal);
      pending = pending.filter((work) => !recorded.has(recordPath(work)));
      if (pending.length === 0) return;
      await throwDeadly(queue, run);
      await queue.add(pending);
      sweptMs = nowMs;
    }
    if (nowMs - polledMs > BEAT_POLL_MS) {
      const hint = `start \`switchyard worker --queue ${harmlessUrl(url)}\``;
      const texts = await watched.poll(queue, pending, missing, hint);
      for (const text of texts) observer.note?.(text);
      polledMs = nowMs;
    }
    const pauseMs = Math.max(POLL_MS, pending.length / SPLITS_PER_POLL_MS);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    throwIfInterrupted(signal);
  }
}

async function throwDeadly(queue: WorkQueue, run: string): Promise<void> {
  const [failed] = await queue.takeFailed(run);
  if (failed === undefined) return;
  throw new SwitchyardError(
    "split_deadly",
    `Too many workers died while they worked on ${failed.kind} ${failed.id} (${failed.reason}); check the end of their logs, give them more memory or fewer threads, and run the same command again to resume`,
  );
}

/** Waits until no worker holds the output: the run that finishes needs it exclusively. */
async function waitForWorkers(
  { signal, observer }: RunContext,
  output: QueuedOutput,
  queue: WorkQueue,
  run: string,
): Promise<void> {
  const startedMs = performance.now();
  let isReported = false;
  for (;;) {
    await queue.markEnded(run);
    const members = await output.livingMembers(signal);
    if (members.length === 0) return;
    if (!isReported && performance.now() - startedMs > WAIT_NOTE_MS) {
      isReported = true;
      const names = members.map(({ name }) => name).join(", ");
      observer.note?.(`all work is done; waiting for the end of ${names}`);
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    throwIfInterrupted(signal);
  }
}

/** Plans or finishes once the output is free: another coordinator may finish the same run. */
async function onceFree<Result>(
  { signal, observer }: RunContext,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const isLocked = error instanceof SwitchyardError && error.code === "output_locked";
      if (!isLocked || error.exitCode !== exitCodes.busy) throw error;
      if (attempt === 0) observer.note?.(`waiting: ${error.message}`);
    }
    await sleep(BEAT_POLL_MS, undefined, { signal }).catch(() => undefined);
    throwIfInterrupted(signal);
  }
}
