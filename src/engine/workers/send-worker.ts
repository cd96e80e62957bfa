import { Kernel } from "../../batch/kernel.js";
import { createMapper } from "../../mapper/create-mapper.js";
import { layoutOf } from "../../pipeline/ledger/layout.js";
import { LedgerWriter } from "../../pipeline/ledger/ledger-writer.js";
import type { SendOptions } from "../../pipeline/options.js";
import { RejectFile } from "../../pipeline/worker/reject-file.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { ThreadCounters } from "../../pipeline/worker/thread-counters.js";
import { openRange } from "../../readers/formats.js";
import { createPoster } from "../../sinks/webhook/undici-post.js";
import { createWebhookSink } from "../../sinks/webhook/webhook-sink.js";
import { mapperOptions } from "../mapper-options.js";

// Entry file of the thread that reads, maps and sends.
serveSplits<SendOptions>(async ({ options, maxTimeMs, counters }, signal) => {
  const kernel = new Kernel();
  const { outputDirectory, rowBytesMax, ratioMax, eventUrl, serverSecret } = options;
  const layout = layoutOf(outputDirectory, "events");
  const { temporaryDirectory, acknowledgedDirectory } = layout;
  const threadCounters = new ThreadCounters(counters);
  const { post } = createPoster({
    ...options,
    url: new URL(eventUrl),
    secret: serverSecret,
  });
  return {
    kernel,
    layout,
    ledger: new LedgerWriter(layout),
    openRejects: (splitId) => new RejectFile(kernel, layout, splitId),
    open: openRange,
    readerOptions: { rowBytesMax, ratioMax, temporaryDirectory, signal },
    mapper: createMapper(kernel, await mapperOptions(options, maxTimeMs)),
    sink: createWebhookSink(kernel, {
      ...options,
      post,
      signal,
      journalDirectory: acknowledgedDirectory,
      // A resumed run keeps the end of the time range that it started with.
      keySeed: `${options.keySeed} ${maxTimeMs}`,
      onWaiting(isWaiting) {
        threadCounters.waiting = isWaiting;
      },
      onConfirmed(delivered, refused) {
        threadCounters.settle(delivered, refused);
      },
    }),
  };
});
