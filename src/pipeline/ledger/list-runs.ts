import { join } from "node:path";
import { isLocked } from "../../base/lock-file.js";
import { countSent } from "../sent-counts.js";
import { layoutOf } from "./layout.js";
import { listOrNone } from "./ledger.js";
import { readSentRun, type SentRun } from "./sent-run.js";

const runStates = ["done", "at_work", "interrupted"] as const;
/** `at_work`: a process that lives has its lock. `interrupted`: its command takes it up again. */
export type RunState = (typeof runStates)[number];

export interface ListedRun extends SentRun {
  readonly state: RunState;
  readonly delivered: number;
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
  const { delivered, rejected, splitsDone, splitsTotal } = await countSent(layout);
  const isDone = splitsTotal > 0 && splitsDone === splitsTotal;
  return {
    ...run,
    state: (await isLocked(layout.lockFile)) ? "at_work" : isDone ? "done" : "interrupted",
    ...{ delivered, rejected, splitsDone, splitsTotal },
  };
}
