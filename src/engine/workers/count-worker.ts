import { createZone } from "../../base/luxon-zone.js";
import { Kernel } from "../../batch/kernel.js";
import { createMapper } from "../../mapper/create-mapper.js";
import { layoutOf } from "../../pipeline/ledger/layout.js";
import { LedgerWriter } from "../../pipeline/ledger/ledger-writer.js";
import type { RunOptions } from "../../pipeline/options.js";
import { RejectCounts } from "../../pipeline/worker/reject-counts.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { EventCounts } from "../../profile/event-counts.js";
import { openRange } from "../../readers/formats.js";
import { createCountingSink } from "../../sinks/dry-run-sinks.js";
import { mapperOptions } from "../mapper-options.js";

// Entry file of the worker threads that only count events.
serveSplits<RunOptions>(async ({ options, maxTimeMs }, signal) => {
  const kernel = new Kernel();
  const { outputDirectory, rowBytesMax, ratioMax } = options;
  const layout = layoutOf(outputDirectory, "events");
  const { temporaryDirectory } = layout;
  return {
    kernel,
    layout,
    ledger: new LedgerWriter(layout),
    openRejects: () => new RejectCounts(),
    open: openRange,
    readerOptions: { rowBytesMax, ratioMax, temporaryDirectory, signal },
    mapper: createMapper(kernel, await mapperOptions(options, maxTimeMs)),
    sink: createCountingSink(),
    eventCounts: new EventCounts(kernel, createZone("UTC")),
  };
});
