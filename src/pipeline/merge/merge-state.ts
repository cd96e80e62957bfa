import { formatDay, parseDay } from "../../base/day.js";
import type { Layout } from "../ledger/layout.js";
import type { Ledger } from "../ledger/ledger.js";
import type { MergePlan, MergeRecord, SplitRecord } from "../ledger/ledger-records.js";
import { digestOfSpilled, totalWaiting } from "./merge-plan.js";

/** The progress of merging in the ledger. */
export interface MergeState {
  readonly plan: MergePlan | undefined;
  readonly done: readonly MergeRecord[];
}

export const nothingMerged: MergeState = { plan: undefined, done: [] };

/** Rows of a day that are in no part yet. */
export interface PendingDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly rows: number;
}

/** Reads what was merged of the waiting rows of these splits; merges of other rows do not count. */
export async function readMerges(
  ledger: Pick<Ledger, "readMergePlan" | "readMerge">,
  records: readonly SplitRecord[],
): Promise<MergeState> {
  const plan = await ledger.readMergePlan();
  if (plan === undefined || plan.spilled !== digestOfSpilled(records)) return nothingMerged;
  const done: MergeRecord[] = [];
  for (const { id } of plan.merges) {
    const record = await ledger.readMerge(id);
    if (record !== undefined) done.push(record);
  }
  return { plan, done };
}

/** Returns true if no row of these splits waits in a spill file or a staged part. */
export function isMerged({ plan, done }: MergeState, records: readonly SplitRecord[]): boolean {
  if (records.every(({ spill, staged }) => spill === undefined && staged === undefined))
    return true;
  return plan !== undefined && done.length === plan.merges.length;
}

/** Returns true if a day (YYYY-MM-DD) belongs to a finished merge. */
export function isDayMerged({ plan, done }: MergeState, day: string): boolean {
  const number = parseDay(day);
  const ids = new Set(done.map(({ id }) => id));
  const merge = plan?.merges.find(
    ({ firstDay, lastDay }) => firstDay <= number && number <= lastDay,
  );
  return merge !== undefined && ids.has(merge.id);
}

/** Returns, in order, the days whose waiting rows are not merged into parts. */
export function findPending(
  layout: Layout,
  records: readonly SplitRecord[],
  state: MergeState,
): readonly PendingDay[] {
  return totalWaiting(layout, records)
    .inOrder()
    .map(([day, { rows }]) => ({ day: formatDay(day), rows }))
    .filter(({ day }) => !isDayMerged(state, day));
}
