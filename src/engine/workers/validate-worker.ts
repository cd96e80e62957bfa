import { createZone } from "../../base/luxon-zone.js";
import { Kernel } from "../../batch/kernel.js";
import { createMapper } from "../../mapper/create-mapper.js";
import { layoutOf } from "../../pipeline/ledger/layout.js";
import { LedgerWriter } from "../../pipeline/ledger/ledger-writer.js";
import type { ValidateOptions } from "../../pipeline/options.js";
import { RejectCounts } from "../../pipeline/worker/reject-counts.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { EventProfile } from "../../profile/event-profile.js";
import { openRange } from "../../readers/formats.js";
import { createProfileSink } from "../../sinks/dry-run-sinks.js";
import { mapperOptions } from "../mapper-options.js";

// Entry file of the worker threads of a dry run.
serveSplits<ValidateOptions>(async ({ options, maxTimeMs }, signal) => {
  const kernel = new Kernel();
  const { outputDirectory, rowBytesMax, ratioMax, dayZone, nowMs } = options;
  const layout = layoutOf(outputDirectory, "events");
  const { temporaryDirectory } = layout;
  const ledger = new LedgerWriter(layout);
  const profile = new EventProfile(kernel, createZone(dayZone), nowMs);
  const mapping = { ...(await mapperOptions(options, maxTimeMs)), withInsertID: true };
  return {
    kernel,
    layout,
    ledger,
    openRejects: () => new RejectCounts(),
    open: openRange,
    readerOptions: { rowBytesMax, ratioMax, temporaryDirectory, signal },
    mapper: createMapper(kernel, mapping),
    sink: createProfileSink(profile, (id, split) => ledger.writeProfile(id, split)),
  };
});
