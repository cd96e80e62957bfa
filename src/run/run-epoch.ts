import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import { removeStrays } from "../ledger/apply-actions.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import { isMerged } from "../ledger/merge-state.js";
import type { RunContext, RunProgress } from "../ledger/run-observer.js";
import type { RunOptions } from "../options/options.js";
import type { Split } from "../plan/plan.js";
import { type MergedDays, mergedSoFar, mergeSpilled } from "./merge/merge-spilled.js";
import { type Dispatch, dispatchHere } from "./pool/dispatch.js";
import type { SplitClaims } from "./pool/split-claims.js";
import { type SplitProgress, SplitRunner } from "./pool/split-runner.js";
import type { WorkerPool } from "./pool/worker-pool.js";
import { publishSplit } from "./publish-work.js";
import type { RunSpec } from "./run-spec.js";
import type { StartedEpoch } from "./start-run.js";

/** The values that the epochs of a run share. */
interface EpochContext {
  readonly context: RunContext;
  readonly pool: WorkerPool;
  /** Records of the splits of all epochs; those that this run commits are added. */
  readonly records: Map<string, SplitRecord>;
  /** Set if other processes have the output too, and splits must not be done twice. */
  readonly claims?: SplitClaims | undefined;
}

/** An epoch whose splits are read and merged, or that was interrupted. */
export interface EndedEpoch {
  readonly number: number;
  readonly merged: MergedDays;
  /** Absent if an earlier run had left nothing to do. */
  readonly work?: SplitProgress;
}

/** Reads the unfinished splits of an epoch, then merges what all of its splits have spilled. */
export async function runEpoch(
  spec: RunSpec,
  epoch: StartedEpoch,
  shared: EpochContext,
): Promise<EndedEpoch> {
  const { ledger, record, merges, finished } = epoch;
  const { context, pool, records } = shared;
  const { signal, observer } = context;
  const { layout } = ledger;
  const { files } = spec.output;
  const number = layout.epoch;
  const { plan } = record;
  const splits = unfinishedSplits(plan.splits, finished);
  const known = [...finished.values()];
  // Also for an epoch without a readable source.
  for (const failure of record.unreadable) observer.sourceFailed?.(failure);
  const isDone = splits.length === 0 && isMerged(merges, known);
  if (isDone || signal.aborted) {
    return { number, merged: mergedSoFar(layout, known, merges, isDone ? "done" : "interrupted") };
  }
  const { end, work } = await readSplits(spec, epoch, plan.splits, shared);
  // A worker that was terminated while it committed may have left parts that no record lists.
  if (end === "interrupted")
    await removeStrays(files, layout, {
      isKept: (id) => records.has(id),
      isMerged: (_, other) => other !== number,
    });
  const merged = await mergeSpilled({
    files,
    layout,
    ledger,
    end,
    rejects: work.rejects,
    observer,
    pool,
    records: plan.splits.flatMap(({ id }) => records.get(id) ?? []),
    state: merges,
    mergeBytes: spec.options.splitBytes,
  });
  return { number, merged, work };
}

/**
 * Reads the given splits of an epoch that are not finished. Adds a record once its split is in the
 * ledger and its output is stored.
 */
export async function readSplits(
  { options, sink, output: { files } }: RunSpec,
  epoch: StartedEpoch,
  splits: readonly Split[],
  { context, pool, records, claims }: EpochContext,
  dispatch: Dispatch<Split> = dispatchHere(unfinishedSplits(splits, epoch.finished)),
): Promise<{ readonly end: "done" | "interrupted"; readonly work: SplitProgress }> {
  const { observer, now = Date.now } = context;
  const { layout } = epoch.ledger;
  beginEvents(options, epoch, pool);
  const onRecord = async (record: SplitRecord) => {
    records.set(record.id, record);
    for (const failure of record.failures) observer.sourceFailed?.(failure);
    await publishSplit(files, layout, record);
    await sink.committed?.(record);
  };
  const runner = new SplitRunner(dispatch, pool, onRecord, claims);
  for (const text of notesOf(epoch)) observer.note?.(text);
  observer.started?.(() => progressOf(splits, epoch.finished, runner, now()));
  return { end: await runner.run(), work: runner.progress() };
}

/** Begins to read or to merge the events of an epoch. */
export function beginEvents(
  options: RunOptions,
  { ledger, record: { maxTimeMs, plan } }: StartedEpoch,
  pool: WorkerPool,
): void {
  const { epoch } = ledger.layout;
  pool.begin({ options, reads: "events", maxTimeMs, epoch, splits: plan.splits.length });
}

/** Returns the splits without a record. */
export function unfinishedSplits(
  splits: readonly Split[],
  finished: StartedEpoch["finished"],
): readonly Split[] {
  return splits.filter(({ id }) => !finished.has(id));
}

function notesOf({ ledger, record, finished, lost }: StartedEpoch): readonly string[] {
  const { sources, splits } = record.plan;
  const { epoch } = ledger.layout;
  const name = epoch === 0 ? "" : `epoch ${epoch}: `;
  return [
    ...(record.resumes > 0
      ? [`${name}resumed: ${finished.size} of ${splits.length} splits are done`]
      : epoch === 0
        ? []
        : [`${name}${formatInputs(sources.length + record.unreadable.length)}`]),
    ...(lost === 0
      ? []
      : [`${formatSplits(lost)} read again, because files of theirs are missing or damaged`]),
  ];
}

function formatSplits(count: number): string {
  return count === 1 ? "1 split is" : `${count} splits are`;
}

function progressOf(
  splits: readonly Split[],
  finished: StartedEpoch["finished"],
  runner: SplitRunner,
  nowMs: number,
): RunProgress {
  const progress = runner.progress();
  const { waiting } = progress;
  const wait = waiting && { ...waiting, leftMs: Math.max(0, waiting.untilMs - nowMs) };
  return { ...splitProgress(splits, finished, progress), ...omitUndefined({ waiting: wait }) };
}

/** Returns the progress of reading splits. `known`: ids of splits that were read before. */
export function splitProgress(
  splits: readonly Split[],
  known: { has(id: string): boolean },
  { bytes, splits: splitsDone, waiting: _, ...work }: SplitProgress,
): RunProgress {
  const before = splits.filter(({ id }) => known.has(id));
  return {
    ...work,
    bytesTotal: sum(splits, (split) => split.bytes),
    bytesDone: sum(before, (split) => split.bytes) + bytes,
    splitsTotal: splits.length,
    splitsDone: before.length + splitsDone,
  };
}

function formatInputs(count: number): string {
  return count === 1 ? "1 new input" : `${count} new inputs`;
}
