import { epochOf } from "../base/epoch.js";
import { DeltaLog } from "../check/delta-log.js";
import { readCompacted } from "../ledger/compacted.js";
import { foldEvents } from "../ledger/event-fold.js";
import { Ledger } from "../ledger/ledger.js";
import type { Manifest } from "../ledger/manifest.js";
import { foldExport } from "../ledger/manifest-fold.js";
import { recordOptions } from "../ledger/recorded-options.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { ExportOptions } from "../options/options.js";
import { layoutOf, layoutOfEpoch } from "../output/layout.js";
import type { RunJob, RunOutside, RunPublisher } from "./run-job.js";
import { type RunResult, runSplits } from "./run-splits.js";

export type ExportResult = RunResult<Manifest>;

/**
 * Runs an export from its inputs to its manifest, or resumes the one that the output directory
 * holds. If a source fails, the run ends as `failed` after all other sources are done. Throws
 * `UsageError` if it cannot begin, and `SwitchyardError` if it cannot continue (disk full).
 */
export async function runExport(
  options: ExportOptions,
  context: RunContext,
  outside: RunOutside,
  publisher?: RunPublisher,
): Promise<ExportResult> {
  const recorded = await recordOptions(options);
  const layout = layoutOf(options.outputDirectory, options.dataset);
  const job: RunJob<Manifest> = {
    options,
    recorded,
    layout,
    finishesOnly: options.finish,
    publisher,
    async fold(facts, records, merged) {
      const readEvents = (id: string) =>
        new Ledger(layoutOfEpoch(layout, epochOf(id))).readEvents(id);
      const events = await foldEvents({ readEvents }, records);
      const exportFacts = { ...facts, options: recorded };
      const { manifest, eventsByDay } = foldExport(
        exportFacts,
        records,
        events,
        merged,
        await readCompacted(layout),
      );
      return { manifest, files: { [layout.eventsByDayFile]: eventsByDay } };
    },
  };
  const result = await runSplits(job, context, outside);
  // An existing log must follow the output: readers would miss files that a later run joins or adds.
  const log = options.table === "delta" ? new DeltaLog(layout) : DeltaLog.of(layout);
  if (result.manifest.complete) await log?.follow(result.manifest);
  return result;
}
