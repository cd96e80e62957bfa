import { setImmediate } from "node:timers/promises";
import { serveCalls } from "../../base/thread-call.js";
import { Kernel } from "../../batch/kernel.js";
import { ObjectsAhead } from "../../formats/objects-ahead.js";
import type { StreamSetup } from "../../run/stream/stream-events.js";
import { StreamServer } from "../../run/stream/stream-server.js";
import { RejectCounts } from "../../run/thread/reject-counts.js";
import { runSplit } from "../../run/thread/run-split.js";
import { ThreadCounters } from "../../run/thread/thread-counters.js";
import { createLineSink } from "../../sinks/line-sink.js";
import { createWorkerTools } from "../serve-run.js";

// Entry file of the thread whose events go to standard output.
serveCalls(
  new StreamServer<StreamSetup>(async ({ split, ...setup }) => {
    const { options } = setup;
    const kernel = new Kernel();
    const { signal } = new AbortController();
    const thread = { ...setup, reads: "events", epoch: 0, splits: 1, decodesAhead: true } as const;
    const { withInsertID } = options;
    const tools = await createWorkerTools(thread, signal, kernel, { withInsertID });
    return async (put) => {
      const written = await runSplit(
        { split, skipped: {} },
        {
          ...tools,
          sink: createLineSink(kernel, options, put),
          openRejects: () => new RejectCounts(),
          ahead: new ObjectsAhead(tools.readerOptions),
          // Lines that were written cannot be taken back.
          leavesOutAltered: false,
          counters: new ThreadCounters(setup.counters),
          // Reading never waits: without this, `next` would not be answered.
          checkpoint: () => setImmediate(),
        },
      );
      return written.commit();
    };
  }),
);
