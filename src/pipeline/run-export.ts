import { foldEvents } from "./event-fold.js";
import type { ExportResult } from "./export-result.js";
import { layoutOf } from "./ledger/layout.js";
import { Ledger } from "./ledger/ledger.js";
import { recordOptions } from "./ledger/recorded-options.js";
import type { Manifest } from "./manifest.js";
import { foldExport } from "./manifest-fold.js";
import type { ExportOptions } from "./options.js";
import type { RunContext } from "./progress.js";
import { type EndedRun, exceeds, outcomeOf, type RunOutside, runSplits } from "./run-splits.js";

/**
 * Runs an export from its inputs to its manifest, or takes up the one that the output directory
 * holds. Sources that fail end it as `failed`, after all others are done. Throws `UsageError` where it
 * cannot begin, and `SwitchyardError` where it cannot go on (disk full).
 */
export async function runExport(
  options: ExportOptions,
  context: RunContext,
  outside: RunOutside,
): Promise<ExportResult> {
  const recorded = await recordOptions(options);
  const layout = layoutOf(options.outputDirectory, options.dataset);
  const ended = await runSplits<Manifest>(
    {
      ...{ options, recorded, layout },
      async fold(facts, records, merged) {
        const events = await foldEvents(new Ledger(layout), records);
        const exportFacts = { ...facts, options: recorded };
        const { manifest, eventsByDay } = foldExport(exportFacts, records, events, merged);
        return { manifest, files: { [layout.eventsByDayFile]: eventsByDay } };
      },
    },
    context,
    outside,
  );
  return describe(ended, options, layout.manifestFile);
}

function describe(
  ended: EndedRun<Manifest>,
  { maxRejects }: ExportOptions,
  manifestPath: string,
): ExportResult {
  const { manifest, work } = ended;
  const { failures, rows, run } = manifest;
  return {
    outcome: outcomeOf(ended),
    manifest,
    manifestPath,
    failures,
    tooManyRejects: exceeds(rows, maxRejects),
    alreadyDone: work === undefined,
    rowsRead: work?.rows ?? 0,
    bytesRead: work?.bytes ?? 0,
    durationMs: work === undefined ? 0 : run.durationMs,
  };
}
