import { join } from "node:path";
import { layoutOf } from "./layout.js";
import { Ledger, listOrNone } from "./ledger.js";
import { isLocked } from "./lock.js";
import { deliveredInJournals } from "./run-send.js";
import { readSentRun, type SentRun } from "./sent-run.js";

export const runStates = ["done", "at_work", "interrupted"] as const;
/** `at_work`: a process that lives has its lock. `interrupted`: its command takes it up again. */
export type RunState = (typeof runStates)[number];

export interface ListedRun extends SentRun {
  readonly state: RunState;
  readonly delivered: number;
  /** Of the splits that are finished. */
  readonly rejected: number;
  readonly splitsDone: number;
  readonly splitsTotal: number;
}

/** What was sent or begun to be sent, the latest first. Directories that hold no run are left out. */
export async function listRuns(runsDirectory: string): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (const name of await listOrNone(runsDirectory)) {
    const run = await describeRun(join(runsDirectory, name));
    if (run !== undefined) runs.push(run);
  }
  return runs.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
}

async function describeRun(directory: string): Promise<ListedRun | undefined> {
  const layout = layoutOf(directory, "events");
  const run = await readSentRun(layout);
  if (run === undefined) return undefined;
  const ledger = new Ledger(layout);
  const record = await ledger.readRun();
  const splits = await ledger.readSplits();
  const done = splits.filter(({ status }) => status === "complete");
  const splitsTotal = record?.plan.splits.length ?? 0;
  const isDone = record !== undefined && done.length === splitsTotal;
  const finished = done.reduce((sum, { rows }) => sum + rows.delivered, 0);
  return {
    ...run,
    state: (await isLocked(layout.lockFile)) ? "at_work" : isDone ? "done" : "interrupted",
    delivered: finished + (isDone ? 0 : await deliveredInJournals(layout)),
    rejected: done.reduce((sum, { rows }) => sum + rows.rejected, 0),
    splitsDone: done.length,
    splitsTotal,
  };
}
