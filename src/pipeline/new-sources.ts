import { type Layout, layoutOf } from "./ledger/layout.js";
import { readEpochs, readHeads } from "./ledger/ledger.js";
import { assignSources } from "./ledger/source-epochs.js";
import type { ExportOptions } from "./options.js";
import type { DiscoveredInputs } from "./run-job.js";

/**
 * Returns the inputs that the export in an output directory has not begun to read; undefined if there
 * is no export. Throws what `discover` and `readEpochs` throw.
 */
export async function findNewInputs<Inputs extends DiscoveredInputs>(
  { outputDirectory, dataset, fresh }: Pick<ExportOptions, "outputDirectory" | "dataset" | "fresh">,
  discover: () => Promise<Inputs>,
): Promise<Inputs | undefined> {
  const layout: Layout = layoutOf(outputDirectory, dataset);
  if (fresh || (await readHeads(layout)).length === 0) return undefined;
  const inputs = await discover();
  const saved = await readEpochs(layout, inputs.sources);
  const unreadable = inputs.failures.map(({ name, code, message }) => ({
    source: name,
    code,
    message,
  }));
  const records = saved.map(({ record }) => record);
  const added = assignSources(records, { sources: inputs.sources, unreadable }).fresh;
  const failed = new Set(added.unreadable.map(({ source }) => source));
  return {
    ...inputs,
    sources: added.sources,
    failures: inputs.failures.filter(({ name }) => failed.has(name)),
  };
}
