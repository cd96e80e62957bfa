import { readHeads } from "../ledger/ledger.js";
import { matchEpochs } from "../ledger/source-epochs.js";
import type { ExportOptions } from "../options/options.js";
import { layoutOf } from "../output/layout.js";
import { withFiles } from "../output/open-files.js";
import { isOfPlan } from "../output/output-paths.js";
import type { Discovery } from "../sources/source-discovery.js";
import { discover } from "./run-inputs.js";
import { factsOf } from "./run-setup.js";

/** Returns the inputs that an export has not begun to read; undefined if it does not exist. */
export function findNewInputs(
  options: ExportOptions,
  signal: AbortSignal,
): Promise<Discovery | undefined> {
  const place = { directory: options.outputDirectory, s3: options.s3, signal };
  return withFiles(place, isOfPlan, async ({ directory }) => {
    const layout = layoutOf(directory, options.dataset);
    if (options.fresh || (await readHeads(layout)).length === 0) return undefined;
    const inputs = await discover(options, signal);
    const { fresh: added } = await matchEpochs(layout, factsOf(inputs, {}));
    const failed = new Set(added.unreadable.map(({ source }) => source));
    const failures = inputs.failures.filter(({ name }) => failed.has(name));
    return { ...inputs, sources: added.sources, failures };
  });
}
