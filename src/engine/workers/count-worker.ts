import { createZone } from "../../base/luxon-zone.js";
import type { RunOptions } from "../../pipeline/options.js";
import { RejectCounts } from "../../pipeline/worker/reject-counts.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { EventCounts } from "../../profile/event-counts.js";
import { createCountingSink } from "../../sinks/dry-run-sinks.js";
import { createWorkerTools } from "../worker-tools.js";

// Entry file of the worker threads that only count events.
serveSplits<RunOptions>(async (setup, signal) => {
  const tools = await createWorkerTools(setup, signal);
  return {
    ...tools,
    openRejects: () => new RejectCounts(),
    sink: createCountingSink(),
    eventCounts: new EventCounts(tools.kernel, createZone("UTC")),
  };
});
