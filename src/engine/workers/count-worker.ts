import { createZone } from "../../base/luxon-zone.js";
import type { RunOptions } from "../../options/options.js";
import { EventCounts } from "../../profile/event-counts.js";
import { RejectCounts } from "../../run/thread/reject-counts.js";
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
