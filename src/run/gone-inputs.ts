import { option } from "../base/option-text.js";
import { type RunRecord, readEpochs } from "../ledger/ledger.js";
import { containersOf, type RunFacts } from "../ledger/resume.js";
import { assignSources } from "../ledger/source-epochs.js";
import type { Layout } from "../output/layout.js";

/**
 * Returns a note about inputs that could not be read before and are gone now: nothing was delivered
 * from them.
 */
export function describeGone({
  record,
  facts,
}: {
  readonly record: RunRecord;
  readonly facts: RunFacts;
}): readonly string[] {
  if (record.unreadable.length === 0) return [];
  const there = [
    ...facts.sources.map(({ name }) => name),
    ...facts.unreadable.map((f) => f.source),
  ];
  const names = new Set(there.flatMap(containersOf));
  return record.unreadable
    .filter(({ source }) => !names.has(source))
    .map(({ source }) => `${source} could not be read before and is gone: skipped`);
}

/** Returns a note about inputs of the epochs that `fresh` removes, if they cannot be read again. */
export async function describeForgotten(
  layout: Layout,
  facts: RunFacts,
): Promise<readonly string[]> {
  const saved = await readEpochs(layout, facts.sources).catch(() => []);
  const records: RunRecord[] = [];
  for (const { ledger, record } of saved)
    if ((await ledger.readSplits()).length > 0) records.push(record);
  const planned = records.flatMap(({ plan }) => plan.sources);
  const found = assignSources(records, facts).known.flatMap(({ sources }) => sources);
  const there = new Set(found.map(({ name }) => name));
  const gone = planned.filter(({ name }) => !there.has(name));
  if (gone.length === 0) return [];
  const inputs = gone.length === 1 ? "1 input" : `${gone.length} inputs`;
  return [
    `${option("fresh")} removed the events of ${inputs} of earlier runs that this command does not read, such as ${gone[0]?.name}: pass them too to have their events again`,
  ];
}
