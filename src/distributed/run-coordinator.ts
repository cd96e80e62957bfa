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
import type { RunResult } from "../run/run.js";
import { unfinishedSplits } from "../run/run-epoch.js";
import { discoverInputs } from "../run/run-setup.js";
import type { DiscoveredInputs, RunSpec } from "../run/run-spec.js";
import type { StartedEpoch } from "../run/start-run.js";
import type { QueuedWork } from "./queue-records.js";
import { openQueuedOutput, type QueuedOutput, recordPath } from "./queued-output.js";
import { runInPlace, type SpecOf, shareInPlace } from "./run-place.js";
import { planShared, type SharedOutput } from "./run-shard.js";
import { harmlessUrl, WorkQueue } from "./work-queue.js";
import { runIdOf, writeWorkerOptions } from "./worker-options.js";
import { WorkerWatch } from "./worker-watch.js";

/** A run whose splits the workers of a queue read. */
interface CoordinatedRun<Options extends StoredOptions, Accounts extends RunAccounts> {
  readonly options: Options;
  /** Address of Redis. */
  readonly queue: string;
  readonly specOf: SpecOf<Options, Accounts>;
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
 * the same run works. Throws what `run` and `WorkQueue.open` throw, and `split_deadly`.
 */
export async function runCoordinator<Options extends StoredOptions, Accounts extends RunAccounts>(
  run: CoordinatedRun<Options, Accounts>,
  context: RunContext,
): Promise<RunResult<Accounts>> {
  const { options, queue: url, specOf } = run;
  const { signal, observer, now = Date.now } = context;
  const note = (text: string) => observer.note?.(text);
  const startedMs = now();
  const queue = await WorkQueue.open({ url, signal, note });
  try {
    const { outputDirectory: directory, s3, unsafeLock } = options;
    const output = await openQueuedOutput({ directory, s3, unsafeLock });
    const spec = await specOf(options);
    const inputs = await withFrugalHeap(() => discoverInputs(spec, signal));
    throwIfInterrupted(signal);
    const first = await plan(run, context, inputs);
    // Do not read any split again, even if one of its sources has failed.
    const again: typeof run = {
      queue: url,
      options: { ...options, fresh: false },
      async specOf(...place) {
        const planned = await specOf(...place);
        const read = { ...planned.read, discover: async () => inputs };
        return { ...planned, read, output: { ...planned.output, finishesOnly: true } };
      },
    };
    for (let planned = first; planned.left.length > 0; ) {
      await watch(options, context, { output, queue, url }, planned);
      if (planned.kind === "merge") break;
      await waitForWorkers(context, output, queue, planned.run);
      planned = await onceFree(context, () => plan(again, context, inputs));
    }
    await waitForWorkers(context, output, queue, first.run);
    const result = await onceFree(context, () => runInPlace(again.options, context, again.specOf));
    if (first.left.length === 0) return result;
    return {
      ...result,
      // By all workers.
      rowsRead: result.manifest.rows.read - first.rowsKnown,
      bytesRead: first.kind === "merge" ? 0 : sum(first.left, ({ bytes }) => bytes),
      durationMs: now() - startedMs,
    };
  } finally {
    await queue.close();
  }
}

/** Plans the run, or joins its plan, and returns the remaining work. */
function plan<Options extends StoredOptions>(
  { options, specOf }: CoordinatedRun<Options, RunAccounts>,
  context: RunContext,
  inputs: DiscoveredInputs,
): Promise<PlannedWork> {
  const { now = Date.now } = context;
  const startedMs = now();
  const planHere = async (local: Options, inside: RunContext, output: SharedOutput) => {
    const spec = await specOf(local, output.files);
    const { layout, begin } = spec.output;
    const planning = { planner: COORDINATOR, context: inside, startedMs, output } as const;
    const { result } = await planShared(
      spec,
      inputs,
      planning,
      async ({ isAlone }, epochs): Promise<PlannedWork> => {
        const splits = splitsLeft(epochs);
        const merges =
          isAlone && splits.length === 0 ? await mergesLeft(spec, epochs) : nothingLeft;
        const areMergesLeft = merges.left.length > MERGES_HERE_MAX;
        const left = areMergesLeft ? merges.left : splits;
        if (isAlone && left.length > 0) {
          await writeWorkerOptions(layout, spec.options);
          const [first] = epochs;
          if (first !== undefined) await begin?.(first.record);
          await output.files.save();
        }
        const all = epochs.flatMap(({ record }) => record.plan.splits);
        const known = epochs.flatMap(({ finished }) => [...finished.values()]);
        return {
          run: runIdOf((await readHeads(layout)).map(({ record }) => record)),
          rowsKnown: sum(known, ({ rows }) => rows.read),
          ...(areMergesLeft
            ? { kind: "merge", ...merges }
            : { kind: "split", left, ...totalOf(all) }),
        };
      },
    );
    return result;
  };
  return withFrugalHeap(() => shareInPlace(options, COORDINATOR, context, planHere));
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
  { output: { files }, options: { splitBytes: mergeBytes } }: RunSpec,
  epochs: readonly StartedEpoch[],
) {
  const all: PlannedMerge[] = [];
  const left: LeftWork[] = [];
  for (const { ledger, merges, finished } of epochs) {
    const records = [...finished.values()];
    if (isMerged(merges, records)) continue;
    const { layout } = ledger;
    const begun =
      merges.plan ?? (await beginMerges({ files, layout, ledger, records, mergeBytes }));
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

/** A queue and the output that its workers write to. */
interface Queued {
  readonly output: QueuedOutput;
  readonly queue: WorkQueue;
  readonly url: string;
}

/** Queues the work, and waits until all of it is recorded. */
async function watch(
  { outputDirectory }: StoredOptions,
  { signal, observer }: RunContext,
  { output, queue, url }: Queued,
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
