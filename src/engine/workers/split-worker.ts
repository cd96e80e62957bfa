import { createZone } from "../../base/luxon-zone.js";
import { outputFormat } from "../../formats/output-formats.js";
import type { ExportOptions } from "../../options/options.js";
import { EventCounts } from "../../profile/event-counts.js";
import { RejectFile } from "../../run/thread/reject-file.js";
import { createDayDirectorySink } from "../../sinks/day-directory-sink.js";
import { createWorkerTools, serveRun } from "../serve-run.js";

// Entry file of the worker threads of an export.
serveRun<ExportOptions>(async (setup, signal, kernel) => {
  const { options, splits, epoch } = setup;
  const { dataset, withInsertID } = options;
  const tools = await createWorkerTools(setup, signal, kernel, {
    dataset,
    withInsertID,
    isResumable: true,
  });
  const { layout } = tools;
  const dayZone = createZone(options.dayZone);
  const format = await outputFormat(options.format).createFormat(kernel, options);
  // A run of one split has nothing to merge, but the rows of a day may be far apart in it.
  const merges = splits > 1 || options.partition === "day,event";
  const sink = createDayDirectorySink(kernel, {
    ...options,
    format,
    dayZone,
    epoch,
    temporaryDirectory: layout.temporaryDirectory,
    spills: merges,
    compact: merges ? options.compact : "never",
  });
  return {
    ...tools,
    openRejects: (splitId) => new RejectFile(kernel, layout, splitId),
    sink,
    mergeDays: sink.mergeDays,
    eventCounts: new EventCounts(kernel, dayZone),
  };
});
