import { formatDay, parseDay } from "../../base/day.js";
import type { PartFile } from "../../sinks/sink.js";
import type { Layout } from "../ledger/layout.js";
import type { Ledger } from "../ledger/ledger.js";
import type {
  MergePlan,
  MergeRecord,
  PlannedMerge,
  SplitRecord,
} from "../ledger/ledger-records.js";
import { forgetMerges, removeOutput, returnStaged } from "../ledger/output-directory.js";
import { inOrder, sum } from "../run-accounts.js";
import type { RunObserver, RunProgress } from "../run-observer.js";
import type { WorkerPool } from "../worker/worker-pool.js";
import { digestOfSpilled, locatePacks, planMerges, totalWaiting } from "./merge-plan.js";
import { MergeRunner, type QueuedMerge } from "./merge-runner.js";
import {
  findPending,
  isDayMerged,
  isMerged,
  type MergeState,
  type PendingDay,
} from "./merge-state.js";
import type { MergeWork } from "./run-merge.js";

/** The result of merging. */
export interface MergedDays {
  readonly end: "done" | "interrupted";
  /** Sorted by day. */
  readonly parts: readonly PartFile[];
  /** Days that are not merged, in order; empty unless the run was interrupted. */
  readonly pending: readonly PendingDay[];
}

/** Brings rows to a merge, and its results to where they belong; each call ends when they are there. */
export interface MergePublisher {
  /** Brings the spilled rows that a merge reads into the output directory. */
  gather(work: MergeWork, layout: Layout): Promise<void>;
  /** A merge of an epoch is in the ledger. */
  mergeDone(record: MergeRecord, layout: Layout): Promise<void>;
}

export interface MergeJob {
  readonly layout: Layout;
  readonly ledger: Ledger;
  /** Records of all committed splits. */
  readonly records: readonly SplitRecord[];
  /** The end of the splits; an interrupted run does not merge. */
  readonly end: "done" | "interrupted";
  readonly state: MergeState;
  /** Bytes of spilled rows and staged parts that one merge takes. */
  readonly mergeBytes: number;
  readonly pool: WorkerPool;
  readonly observer: RunObserver;
  readonly publisher?: MergePublisher | undefined;
}

/**
 * Merges the rows that splits have spilled, and their staged parts, into the parts of their days, or
 * resumes that. Throws if it cannot continue (disk full, damaged spill file).
 */
export async function mergeSpilled(job: MergeJob): Promise<MergedDays> {
  const { layout, records, end, state } = job;
  if (isMerged(state, records) || end === "interrupted")
    return mergedSoFar(layout, records, state, end);
  const plan = state.plan ?? (await beginMerges(job));
  const merges = new Map(state.done.map((record) => [record.id, record]));
  const { publisher } = job;
  const isDone = async (record: MergeRecord) => {
    merges.set(record.id, record);
    await publisher?.mergeDone(record, layout);
  };
  const queue = queueOf(layout, plan, records, merges);
  const gather = publisher && ((work: MergeWork) => publisher.gather(work, layout));
  const runner = new MergeRunner(queue, job.pool, isDone, gather);
  const before = { merges: [...merges.values()], plan };
  job.observer.started?.(() => progressOf(before, runner));
  const merged = await runner.run();
  const done = [...merges.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  if (merged === "done") return { end, parts: partsOf(done), pending: [] };
  const now: MergeState = { plan, done };
  // A worker that was terminated while it committed may have left parts that no record lists.
  await returnStaged(layout, records, (day) => isDayMerged(now, day));
  await removeOutput(
    layout,
    () => true,
    (day, epoch) => epoch !== layout.epoch || isDayMerged(now, day),
  );
  return { end: merged, parts: partsOf(done), pending: findPending(layout, records, now) };
}

/** Returns the state of merging without doing more. */
export function mergedSoFar(
  layout: Layout,
  records: readonly SplitRecord[],
  state: MergeState,
  end: MergedDays["end"],
): MergedDays {
  const pending = isMerged(state, records) ? [] : findPending(layout, records, state);
  return { end, parts: partsOf(state.done), pending };
}

/** Joins the merges of all epochs. */
export function joinMerged(epochs: readonly MergedDays[]): MergedDays {
  return {
    end: epochs.every(({ end }) => end === "done") ? "done" : "interrupted",
    parts: epochs.flatMap(({ parts }) => parts),
    pending: epochs.flatMap(({ pending }) => pending),
  };
}

async function beginMerges({ layout, ledger, records, mergeBytes }: MergeJob): Promise<MergePlan> {
  const merges = planMerges(totalWaiting(layout, records), mergeBytes);
  const plan: MergePlan = { spilled: digestOfSpilled(records), merges };
  // Records of void merges have the same names.
  await forgetMerges(layout);
  await ledger.writeMergePlan(plan);
  return plan;
}

function queueOf(
  layout: Layout,
  { merges }: MergePlan,
  records: readonly SplitRecord[],
  done: ReadonlyMap<string, MergeRecord>,
): readonly QueuedMerge[] {
  const packsOf = locatePacks(layout, records, merges);
  const staged = stagedByDay(records);
  let next = 0;
  return merges.flatMap(({ id, firstDay, lastDay, rows, bytes }, index) => {
    const start = next;
    while (next < staged.length && staged[next]!.day <= lastDay) next++;
    if (done.has(id)) return [];
    const parts = staged.slice(start, next).map(({ part }) => part);
    return {
      work: () => ({ id, rows, splits: packsOf(index), staged: parts }),
      bytes,
      days: `${formatDay(firstDay)} to ${formatDay(lastDay)}`,
    };
  });
}

/** Returns the staged parts of all splits, ordered by day and then by split. */
function stagedByDay(records: readonly SplitRecord[]) {
  return inOrder(records)
    .flatMap(({ staged = [] }) => staged)
    .map((part) => ({ day: parseDay(part.day), part }))
    .sort((one, other) => one.day - other.day);
}

function partsOf(records: readonly MergeRecord[]): readonly PartFile[] {
  return records.flatMap(({ parts }) => parts);
}

interface MergedBefore {
  readonly plan: MergePlan;
  readonly merges: readonly MergeRecord[];
}

function progressOf({ plan, merges: before }: MergedBefore, runner: MergeRunner): RunProgress {
  const ids = new Set(before.map(({ id }) => id));
  const bytesOf = (merges: readonly PlannedMerge[]) => sum(merges, ({ bytes }) => bytes);
  const bytesResumed = bytesOf(plan.merges.filter(({ id }) => ids.has(id)));
  const { threads, rows, bytes, merges } = runner.progress();
  return {
    phase: "merging",
    threads,
    rows,
    rejects: 0,
    bytesTotal: bytesOf(plan.merges),
    bytesDone: bytesResumed + bytes,
    splitsTotal: plan.merges.length,
    splitsDone: before.length + merges,
  };
}
