import { SwitchyardError } from "../../base/errors.js";
import { isPlanChanged } from "../change-plan.js";
import type { Layout } from "../ledger/layout.js";
import { readEpochs } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import { ChangedError, compareRun, type RunFacts } from "../ledger/resume.js";
import { assignSources } from "../ledger/source-epochs.js";
import { nothingMerged } from "../merge/merge-state.js";
import type { StartedEpoch } from "../start-run.js";

/**
 * Returns the epochs of a run that other shards are reading. It removes nothing: what they have not recorded
 * is being written. Throws `run_changed` if the run is another one, and `shards_differ` if it has other
 * inputs.
 */
export async function joinRun(layout: Layout, facts: RunFacts): Promise<readonly StartedEpoch[]> {
  const saved = await readEpochs(layout, facts.sources);
  const { known, fresh } = assignSources(
    saved.map(({ record }) => record),
    facts,
  );
  const added = fresh.sources.length + fresh.unreadable.length;
  if (added > 0) throw otherInputs(layout, `${added} more than they have`);
  const epochs: StartedEpoch[] = [];
  for (const [index, { ledger, record }] of saved.entries()) {
    const records = (await ledger.readSplits()).filter(({ status }) => status === "complete");
    const finished = new Map(records.map((one): [string, SplitRecord] => [one.id, one]));
    const splits = { finished: new Set(finished.keys()), replaceable: new Set<string>() };
    const changes = compareRun(record, splits, { ...facts, ...known[index] });
    if (changes.refused.length > 0) throw new ChangedError(layout.outputDirectory, changes.refused);
    if (isPlanChanged(changes)) throw otherInputs(layout, "some that have changed");
    await ledger.makeDirectories();
    const { vanished } = changes;
    epochs.push({ ledger, record, finished, merges: nothingMerged, lost: 0, vanished });
  }
  return epochs;
}

function otherInputs({ outputDirectory }: Layout, what: string): SwitchyardError {
  return new SwitchyardError(
    "shards_differ",
    `${outputDirectory}: other shards are at work, and the inputs of this one are others: ${what}; run it again when they have ended`,
  );
}
