import { createZone } from "../../base/luxon-zone.js";
import type { RunOptions } from "../../pipeline/options.js";
import { RejectCounts } from "../../pipeline/worker/reject-counts.js";
import { EventCounts } from "../../profile/event-counts.js";
import { createCountingSink } from "../../sinks/dry-run-sinks.js";
import { createWorkerTools, serveRun } from "../serve-run.js";

// Entry file of the worker threads that only count events.
serveRun<RunOptions>(async (setup, signal, kernel) => {
  const tools = await createWorkerTools(setup, signal, kernel);
  return {
    ...tools,
    openRejects: () => new RejectCounts(),
    sink: createCountingSink(),
    eventCounts: new EventCounts(kernel, createZone("UTC")),
  };
});
