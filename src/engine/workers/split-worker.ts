import { createZone } from "../../base/luxon-zone.js";
import { Kernel } from "../../batch/kernel.js";
import { createMapper } from "../../mapper/create-mapper.js";
import { layoutOf } from "../../pipeline/ledger/layout.js";
import { LedgerWriter } from "../../pipeline/ledger/ledger-writer.js";
import type { ExportOptions } from "../../pipeline/options.js";
import { outputFormat } from "../../pipeline/output-formats.js";
import { RejectFile } from "../../pipeline/worker/reject-file.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { EventCounts } from "../../profile/event-counts.js";
import { openRange } from "../../readers/formats.js";
import { createDayDirectorySink } from "../../sinks/day-directory-sink.js";
import { mapperOptions } from "../mapper-options.js";

// Entry file of the worker threads of an export: it builds the tools that run splits.
serveSplits<ExportOptions>(async ({ options, maxTimeMs, splits }, signal) => {
  const kernel = new Kernel();
  const { outputDirectory, dataset, rowBytesMax, ratioMax } = options;
  const layout = layoutOf(outputDirectory, dataset);
  const { temporaryDirectory } = layout;
  const dayZone = createZone(options.dayZone);
  const format = await outputFormat(options.format).createFormat(kernel, options);
  const sink = createDayDirectorySink(kernel, { ...options, format, dayZone, spills: splits > 1 });
  return {
    kernel,
    layout,
    ledger: new LedgerWriter(layout),
    openRejects: (splitId) => new RejectFile(kernel, layout, splitId),
    open: openRange,
    readerOptions: { rowBytesMax, ratioMax, temporaryDirectory, signal },
    mapper: createMapper(kernel, await mapperOptions(options, maxTimeMs)),
    sink,
    mergeDays: sink.mergeDays,
    eventCounts: new EventCounts(kernel, dayZone),
  };
});
