import { formatDay, parseDay } from "../../base/day.js";
import { sum } from "../../base/sum.js";
import { applyActions, removeStrays } from "../../ledger/apply-actions.js";
import type { Ledger } from "../../ledger/ledger.js";
import type {
  MergePlan,
  MergeRecord,
  PlannedMerge,
  SplitRecord,
} from "../../ledger/ledger-records.js";
import {
  digestOfSpilled,
  isDayMerged,
  isMerged,
  type MergeState,
} from "../../ledger/merge-state.js";
import { forgetMerges, returnActions } from "../../ledger/output-actions.js";
import { listOutput } from "../../ledger/output-listing.js";
import { inOrder } from "../../ledger/run-accounts.js";
import type { RunObserver, RunProgress } from "../../ledger/run-observer.js";
import type { Layout } from "../../output/layout.js";
import type { OutputFiles } from "../../output/output-files.js";
import type { PartFile } from "../../sinks/sink.js";
import { type Dispatch, dispatchHere } from "../pool/dispatch.js";
import type { WorkerPool } from "../pool/worker-pool.js";
import { gatherFrom, publishMerge } from "../publish-work.js";
import {
  findPending,
  locatePacks,
  type PendingDay,
  planMerges,
  totalWaiting,
} from "./merge-plan.js";
import { MergeRunner, type QueuedMerge } from "./merge-runner.js";

/** The result of merging. */
export interface MergedDays {
  readonly end: "done" | "interrupted";
  /** Sorted by day. */
  readonly parts: readonly PartFile[];
  /** Days that are not merged, in order; empty unless the run was interrupted. */
  readonly pending: readonly PendingDay[];
}

/** The files and the threads of merges. */
interface MergePlace {
  readonly files: OutputFiles;
  readonly layout: Layout;
  readonly pool: WorkerPool;
  readonly observer: RunObserver;
  /** Rows that this run has rejected; merging rejects none. */
  readonly rejects?: number;
}

interface MergeJob extends MergePlace {
  readonly ledger: Ledger;
  /** Records of all committed splits. */
  readonly records: readonly SplitRecord[];
  /** How reading the splits ended; an interrupted run does not merge. */
  readonly end: "done" | "interrupted";
  readonly state: MergeState;
  /** Bytes of spilled rows and staged parts that one merge takes. */
  readonly mergeBytes: number;
}

/**
 * Merges the spilled rows and staged parts of splits into the parts of their days, or resumes that
 * merge. Throws if it cannot continue (disk full, damaged spill file).
 */
export async function mergeSpilled(job: MergeJob): Promise<MergedDays> {
  const { files, layout, records, end, state } = job;
  if (isMerged(state, records) || end === "interrupted")
    return mergedSoFar(layout, records, state, end);
  const plan = state.plan ?? (await beginMerges(job));
  const merges = new Map(state.done.map((record) => [record.id, record]));
  const queue = [...mergesOf(layout, plan, records)].flatMap(([id, merge]) =>
    merges.has(id) ? [] : merge,
  );
  const { end: merged } = await runMerges(
    job,
    { plan, done: state.done },
    dispatchHere(queue),
    (record) => merges.set(record.id, record),
  );
  const done = [...merges.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  if (merged === "done") return { end, parts: partsOf(done), pending: [] };
  const now: MergeState = { plan, done };
  // A worker that was terminated while it committed may have left parts that no record lists.
  const isDone = (day: string) => isDayMerged(now, day);
  const listing = await listOutput(files, layout);
  const returned = returnActions({ layout, listing, canMove: !files.isCopy }, records, isDone);
  await applyActions(files, layout, returned);
  await removeStrays(files, layout, {
    isKept: () => true,
    isMerged: (day, epoch) => epoch !== layout.epoch || isDone(day),
  });
  return { end: merged, parts: partsOf(done), pending: findPending(layout, records, now) };
}

/** Runs the merges of a dispatch; `onRecord` is called when one is in the ledger. */
export async function runMerges(
  { files, layout, pool, observer, rejects = 0 }: MergePlace,
  { plan, done }: { readonly plan: MergePlan; readonly done: readonly MergeRecord[] },
  dispatch: Dispatch<QueuedMerge>,
  onRecord: (record: MergeRecord) => void = () => undefined,
): Promise<{ readonly end: "done" | "interrupted"; readonly merges: number }> {
  const committed = async (record: MergeRecord) => {
    onRecord(record);
    await publishMerge(files, layout, record);
  };
  const runner = new MergeRunner(dispatch, pool, committed, gatherFrom(files, layout));
  const before = done.map(({ id }) => id);
  observer.started?.(() => ({ ...mergeProgress(plan, before, runner), rejects }));
  return { end: await runner.run(), merges: runner.progress().merges };
}

/** Returns the state of merging; merges nothing. */
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

/** Plans the merges of what these splits have spilled and staged, and records the plan. */
export async function beginMerges({
  files,
  layout,
  ledger,
  records,
  mergeBytes,
}: Pick<MergeJob, "files" | "layout" | "ledger" | "records" | "mergeBytes">): Promise<MergePlan> {
  const merges = planMerges(totalWaiting(layout, records), mergeBytes);
  const plan: MergePlan = { spilled: digestOfSpilled(records), merges };
  // Records of void merges have the same names.
  await applyActions(files, layout, [forgetMerges(layout)]);
  await ledger.writeMergePlan(plan);
  return plan;
}

/** Returns the merges of a plan by id. Throws `SpillDamage`. */
export function mergesOf(
  layout: Layout,
  { merges }: MergePlan,
  records: readonly SplitRecord[],
): ReadonlyMap<string, QueuedMerge> {
  const packsOf = locatePacks(layout, records, merges);
  const staged = stagedByDay(records);
  let next = 0;
  return new Map(
    merges.map(({ id, firstDay, lastDay, rows, bytes }, index) => {
      const start = next;
      while (next < staged.length && staged[next]!.day <= lastDay) next++;
      const parts = staged.slice(start, next).map(({ part }) => part);
      const work = () => ({ id, rows, splits: packsOf(index), staged: parts });
      const days = `${formatDay(firstDay)} to ${formatDay(lastDay)}`;
      return [id, { work, bytes, days }];
    }),
  );
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

/** Returns the progress of a plan. `before`: ids of the merges that were done when the runner began. */
function mergeProgress(
  { merges: planned }: MergePlan,
  before: readonly string[],
  runner: MergeRunner,
): RunProgress {
  const ids = new Set(before);
  const bytesOf = (merges: readonly PlannedMerge[]) => sum(merges, ({ bytes }) => bytes);
  const { threads, rows, bytes, merges } = runner.progress();
  return {
    phase: "merging",
    threads,
    rows,
    rejects: 0,
    bytesTotal: bytesOf(planned),
    bytesDone: bytesOf(planned.filter(({ id }) => ids.has(id))) + bytes,
    splitsTotal: planned.length,
    splitsDone: ids.size + merges,
  };
}
