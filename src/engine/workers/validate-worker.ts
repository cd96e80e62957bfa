import { createZone } from "../../base/luxon-zone.js";
import type { ValidateOptions } from "../../pipeline/options.js";
import { RejectCounts } from "../../pipeline/worker/reject-counts.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { EventProfile } from "../../profile/event-profile.js";
import { createProfileSink } from "../../sinks/dry-run-sinks.js";
import { createWorkerTools } from "../worker-tools.js";

// Entry file of the worker threads of a dry run.
serveSplits<ValidateOptions>(async (setup, signal) => {
  const { dayZone, nowMs } = setup.options;
  const tools = await createWorkerTools(setup, signal, { withInsertID: true });
  const profile = new EventProfile(tools.kernel, createZone(dayZone), nowMs);
  return {
    ...tools,
    openRejects: () => new RejectCounts(),
    sink: createProfileSink(profile, (id, split) => tools.ledger.writeProfile(id, split)),
  };
});
