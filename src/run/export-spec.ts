import { isThere } from "../base/durable-file.js";
import { epochOf } from "../base/epoch.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { builtFile } from "../base/package-files.js";
import { readCompacted } from "../ledger/compacted.js";
import { foldEvents } from "../ledger/event-fold.js";
import { Ledger } from "../ledger/ledger.js";
import type { Manifest } from "../ledger/manifest.js";
import { foldExport } from "../ledger/manifest-fold.js";
import { recordOptions } from "../ledger/recorded-options.js";
import { foldRepairs } from "../ledger/renames-fold.js";
import type { ExportOptions } from "../options/options.js";
import { directoryFiles } from "../output/directory-files.js";
import { layoutOf, layoutOfEpoch } from "../output/layout.js";
import type { OutputFiles } from "../output/output-files.js";
import type { RunResult } from "./run.js";
import { inputReading } from "./run-inputs.js";
import type { RunSpec } from "./run-spec.js";

export type ExportResult = RunResult<Manifest>;

/** Returns the spec of an export to day directories, in one process or in several. */
export async function exportSpec(
  options: ExportOptions,
  outputFiles: OutputFiles = directoryFiles(options.outputDirectory),
): Promise<RunSpec<Manifest>> {
  const recorded = await recordOptions(options);
  const layout = layoutOf(options.outputDirectory, options.dataset);
  return {
    options,
    recorded,
    read: inputReading,
    sink: { entry: builtFile("split-worker.js") },
    output: { layout, files: outputFiles, finishesOnly: options.finish },
    async fold(facts, records, merged) {
      const readEvents = (id: string) =>
        new Ledger(layoutOfEpoch(layout, epochOf(id))).readEvents(id);
      const events = await foldEvents({ readEvents }, records);
      const exportFacts = { ...facts, options: recorded };
      const compacted = await readCompacted(layout);
      const { manifest, eventsByDay } = foldExport(exportFacts, records, events, merged, compacted);
      const { renames, files } = await foldRepairs(layout, records, options.target);
      return {
        manifest: { ...manifest, ...omitUndefined({ renames }) },
        files: { [layout.eventsByDayFile]: eventsByDay, ...files },
      };
    },
    async follow(manifest) {
      // An existing log must follow the output: readers would miss files that a later run joins or adds.
      if (options.table !== "delta" && !isThere(layout.deltaLogDirectory)) return;
      const { DeltaLog } = await import("../check/delta-log.js");
      await new DeltaLog(layout).follow(manifest);
    },
  };
}
