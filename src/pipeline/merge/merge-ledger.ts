import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseDay } from "../../base/day.js";
import { syncDirectory } from "../../base/durable-file.js";
import { asOutput } from "../../base/output-error.js";
import type { PartFile } from "../../sinks/sink.js";
import type { Layout } from "../ledger/layout.js";
import type { SplitRecord } from "../ledger/ledger.js";
import { readLedgerFile, writeLedgerFile } from "../ledger/ledger-file.js";
import { digestOfSpilled, type MergePlan } from "./merge-plan.js";

/** What became of one merge; written after its parts are durable. */
export interface MergeRecord {
  readonly id: string;
  readonly rows: number;
  readonly parts: readonly PartFile[];
}

/** How far merging has come. */
export interface MergeState {
  readonly plan: MergePlan | undefined;
  readonly done: readonly MergeRecord[];
}

export const nothingMerged: MergeState = { plan: undefined, done: [] };

/** What was merged of the rows that these splits have spilled; merges of anything else do not count. */
export async function readMerges(
  layout: Layout,
  records: readonly SplitRecord[],
): Promise<MergeState> {
  const plan = await readLedgerFile<MergePlan>(planFileOf(layout));
  if (plan === undefined || plan.spilled !== digestOfSpilled(records)) return nothingMerged;
  const done: MergeRecord[] = [];
  for (const { id } of plan.merges) {
    const record = await readLedgerFile<MergeRecord>(recordFileOf(layout, id));
    if (record !== undefined) done.push(record);
  }
  return { plan, done };
}

/** Whether no row of these splits waits in a spill file any more. */
export function isMerged({ plan, done }: MergeState, records: readonly SplitRecord[]): boolean {
  if (records.every(({ spill }) => spill === undefined)) return true;
  return plan !== undefined && done.length === plan.merges.length;
}

/** Whether a day (YYYY-MM-DD) belongs to a merge that is done. */
export function isDayMerged({ plan, done }: MergeState, day: string): boolean {
  const number = parseDay(day);
  const ids = new Set(done.map(({ id }) => id));
  const merge = plan?.merges.find(
    ({ firstDay, lastDay }) => firstDay <= number && number <= lastDay,
  );
  return merge !== undefined && ids.has(merge.id);
}

/** To be called before the first merge begins. */
export async function writeMergePlan(layout: Layout, plan: MergePlan): Promise<void> {
  const path = planFileOf(layout);
  await asOutput(path, async () => {
    await mkdir(layout.mergesDirectory, { recursive: true });
    await syncDirectory(dirname(layout.mergesDirectory));
  });
  await writeLedgerFile(layout, path, plan);
}

export async function writeMerge(layout: Layout, record: MergeRecord): Promise<void> {
  await writeLedgerFile(layout, recordFileOf(layout, record.id), record);
}

function planFileOf({ mergesDirectory }: Layout): string {
  return join(mergesDirectory, "plan.json");
}

function recordFileOf({ mergesDirectory }: Layout, id: string): string {
  return join(mergesDirectory, `${id}.json`);
}
