import { builtFile } from "../base/package-files.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import { foldEvents } from "../ledger/event-fold.js";
import { Ledger } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { ManifestEvent, ManifestEventCount, RunAccounts } from "../ledger/manifest.js";
import { checkEvents } from "../ledger/manifest-fold.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import { type AccountFacts, foldAccounts } from "../ledger/run-accounts.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { CountRequest } from "../options/options.js";
import { directoryFiles } from "../output/directory-files.js";
import { layoutOf } from "../output/layout.js";
import { type RunResult, run } from "../run/run.js";
import { inputReading } from "../run/run-inputs.js";
import type { InputReading, RunSpec } from "../run/run-spec.js";

/** The part of an export's manifest that counts rows and events. */
export interface CountManifest extends RunAccounts {
  /** Sorted by name. If there are `otherEvents`, they may hold further rows of a name. */
  readonly events: readonly ManifestEvent[];
  /** Events of the names that exceed the limit of names counted one by one. */
  readonly otherEvents?: ManifestEventCount;
}

export type CountResult = Pick<RunResult<CountManifest>, "outcome" | "manifest" | "tooManyRejects">;

/**
 * Reads and maps inputs like an export of the same options, and counts the events that it would
 * deliver. Keeps nothing: the ledger is in a temporary directory below `scratchDirectory`, which is
 * always removed. Throws like `run`.
 */
export async function runCount(
  request: CountRequest,
  context: RunContext,
  { read = inputReading, entry = builtFile("count-worker.js"), scratchDirectory }: CountTools = {},
): Promise<CountResult> {
  const recorded = await recordRunOptions(request);
  const count = async (outputDirectory: string) => {
    const layout = layoutOf(outputDirectory, "events");
    const ledger = new Ledger(layout);
    const spec: RunSpec<CountManifest> = {
      options: { ...request, outputDirectory },
      recorded,
      read,
      sink: { entry },
      output: { layout, files: directoryFiles(outputDirectory) },
      fold: async (facts, records) => ({ manifest: await foldCount(facts, records, ledger) }),
    };
    const { outcome, manifest, tooManyRejects } = await run(spec, context);
    return { outcome, manifest, tooManyRejects };
  };
  return inTemporaryDirectory("switchyard-count", count, scratchDirectory);
}

/** The reading and the threads of a count, and the directory that holds its temporary directory. */
export interface CountTools {
  readonly read?: InputReading;
  readonly entry?: URL;
  readonly scratchDirectory?: string;
}

async function foldCount(
  facts: AccountFacts,
  records: readonly SplitRecord[],
  ledger: Ledger,
): Promise<CountManifest> {
  const accounts = foldAccounts(facts, records);
  const { byDay: _, ...events } = (await foldEvents(ledger, records)).result([]);
  checkEvents(accounts.rows, events);
  return { ...accounts, ...events };
}
