import { createZone } from "../../base/luxon-zone.js";
import type { ValidateOptions } from "../../pipeline/options.js";
import { outputFormat } from "../../pipeline/output-formats.js";
import { RejectCounts } from "../../pipeline/worker/reject-counts.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { EventProfile } from "../../profile/event-profile.js";
import { createProfileSink } from "../../sinks/dry-run-sinks.js";
import { PartSizes } from "../../sinks/part-sizes.js";
import { createWorkerTools } from "../worker-tools.js";

// Entry file of the worker threads of a dry run.
serveSplits<ValidateOptions>(async (setup, signal) => {
  const { options } = setup;
  const { dayZone, nowMs } = options;
  const tools = await createWorkerTools(setup, signal, { withInsertID: true });
  const profile = new EventProfile(tools.kernel, createZone(dayZone), nowMs);
  const format = await outputFormat(options.format).createFormat(tools.kernel, options);
  const partSizes = new PartSizes(tools.kernel, format);
  return {
    ...tools,
    openRejects: () => new RejectCounts(),
    sink: createProfileSink(profile, partSizes, (id, split) =>
      tools.ledger.writeProfile(id, split),
    ),
  };
});
