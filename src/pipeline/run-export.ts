import { foldEvents } from "./event-fold.js";
import { layoutOf } from "./ledger/layout.js";
import { Ledger } from "./ledger/ledger.js";
import { recordOptions } from "./ledger/recorded-options.js";
import type { Manifest, SourceFailure } from "./manifest.js";
import { foldExport } from "./manifest-fold.js";
import type { ExportOptions } from "./options.js";
import type { RunContext, RunOutcome } from "./run-observer.js";
import { type EndedRun, exceeds, outcomeOf, type RunOutside, runSplits } from "./run-splits.js";

/** The result of an export. Errors that end the whole run (disk full, usage) are thrown instead. */
export interface ExportResult {
  readonly outcome: RunOutcome;
  readonly manifest: Manifest;
  /** Absolute path of the manifest. */
  readonly manifestPath: string;
  /** One for each source that could not be read to its end. */
  readonly failures: readonly SourceFailure[];
  /** More rows were rejected than `maxRejects` allows. */
  readonly tooManyRejects: boolean;
  /** The directory held the finished result of the same command; nothing was done. */
  readonly alreadyDone: boolean;
  /** Rows read by this run, without those of earlier runs. */
  readonly rowsRead: number;
  /** Bytes (on disk) read in this run. */
  readonly bytesRead: number;
  readonly durationMs: number;
}

/**
 * Runs an export from its inputs to its manifest, or resumes the one that the output directory holds. A
 * source that fails ends it as `failed`, after all others are done. Throws `UsageError` if it cannot
 * begin, and `SwitchyardError` if it cannot continue (disk full).
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
