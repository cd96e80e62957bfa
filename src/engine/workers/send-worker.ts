import { omitUndefined } from "../../base/omit-undefined.js";
import { eventKeys } from "../../pipeline/dedupe/event-keys.js";
import type { SendOptions } from "../../pipeline/options.js";
import { RejectFile } from "../../pipeline/worker/reject-file.js";

import { ThreadCounters } from "../../pipeline/worker/thread-counters.js";
import { createPoster } from "../../sinks/webhook/undici-post.js";
import { createWebhookSink } from "../../sinks/webhook/webhook-sink.js";
import { serveRun } from "../serve-run.js";
import { createWorkerTools } from "../worker-tools.js";

// Entry file of the thread that reads, maps and sends.
serveRun<SendOptions>(async (setup, signal, kernel) => {
  const { options, maxTimeMs } = setup;
  const { idempotency } = options;
  const tools = await createWorkerTools(setup, signal, kernel, {
    withInsertID: idempotency !== undefined,
  });
  const { layout } = tools;
  const counters = new ThreadCounters(setup.counters);
  const { post } = createPoster({
    ...options,
    url: new URL(options.eventUrl),
    secret: options.serverSecret,
  });
  return {
    ...tools,
    openRejects: (splitId) => new RejectFile(kernel, layout, splitId),
    sink: createWebhookSink(kernel, {
      ...options,
      post,
      signal,
      journalDirectory: layout.acknowledgedDirectory,
      ...omitUndefined({ keysOf: idempotency && eventKeys(kernel, idempotency) }),
      // A resumed run keeps the end of the time range that it started with.
      keySeed: `${options.keySeed} ${maxTimeMs}`,
      onWaiting(waiting) {
        counters.waiting = waiting;
      },
      onConfirmed(delivered, refused) {
        counters.settle(delivered, refused);
      },
    }),
  };
});
