import { createHash } from "node:crypto";
import { parseDay } from "../base/day.js";
import type { Ledger } from "./ledger.js";
import type { MergePlan, MergeRecord, SplitRecord } from "./ledger-records.js";
import { inOrder } from "./run-accounts.js";

/** The progress of merging in the ledger. */
export interface MergeState {
  readonly plan: MergePlan | undefined;
  readonly done: readonly MergeRecord[];
}

export const nothingMerged: MergeState = { plan: undefined, done: [] };

/** Reads the plan of the merges of an epoch, and the records of those that are done. */
export async function readMergeState(
  ledger: Pick<Ledger, "readMergePlan" | "readMerge">,
): Promise<MergeState> {
  const plan = await ledger.readMergePlan();
  const done: MergeRecord[] = [];
  for (const { id } of plan?.merges ?? []) {
    const record = await ledger.readMerge(id);
    if (record !== undefined) done.push(record);
  }
  return { plan, done };
}

/** Returns what was merged of the waiting rows of these splits; merges of other rows do not count. */
export function mergedOf(state: MergeState, records: readonly SplitRecord[]): MergeState {
  return state.plan?.spilled === digestOfSpilled(records) ? state : nothingMerged;
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

/** Returns the digest of all spill files and staged parts that a merge plan keeps as `spilled`. */
export function digestOfSpilled(records: readonly SplitRecord[]): string {
  const facts = inOrder(records).flatMap(({ id, spill, staged = [] }) => [
    ...(spill === undefined ? [] : [[id, spill.rows, spill.bytes, spill.packs, spill.indexSha256]]),
    ...staged.map(({ path, sha256 }) => [path, sha256]),
  ]);
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
