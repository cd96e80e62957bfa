import { ClaimTime } from "../../base/claim-time.js";
import { SwitchyardError } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { eventKeys } from "../../dedupe/key-digests.js";
import { idsOfKey } from "../../options/dedupe-options.js";
import type { SendOptions, SharedSending } from "../../options/options.js";
import { openOutput } from "../../output/open-output.js";
import { journalsPath } from "../../output/output-paths.js";
import { RejectFile } from "../../run/thread/reject-file.js";
import { ThreadCounters } from "../../run/thread/thread-counters.js";
import { createPoster } from "../../webhook/undici-post.js";
import { createWebhookSink } from "../../webhook/webhook-sink.js";
import { createWorkerTools, serveRun } from "../serve-run.js";

// Entry file of the thread that reads, maps and sends.
serveRun<SendOptions>(async (setup, signal, kernel) => {
  const { options, maxTimeMs } = setup;
  const { idempotency, shared } = options;
  const awaitRate = await rateOf(options);
  const tools = await createWorkerTools(setup, signal, kernel, {
    ...idsOfKey(idempotency),
    isResumable: true,
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
      ...(shared && claimOf(shared)),
      ...(shared?.address === undefined ? {} : { storePiece: await pieceWriterOf(options) }),
      ...omitUndefined({ awaitRate }),
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

/** Returns what waits for the rate; undefined if it has no limit. */
async function rateOf({ shared, rate, burst = rate, batchRows, keySeed }: SendOptions) {
  if (rate === undefined || burst === undefined) return undefined;
  const { RateLimit } = await import("../../webhook/rate-limit.js");
  const limits = { rate, burst, batchRows };
  const limit =
    shared === undefined
      ? RateLimit.alone(limits)
      : await RateLimit.shared(limits, { url: shared.queue, name: keySeed.slice(0, 16) });
  return (events: number) => limit.take(events);
}

/**
 * Returns the writer of journal pieces into a store; undefined unless the output directory is a
 * copy of one.
 */
async function pieceWriterOf({ shared, s3 }: SendOptions) {
  const output = await openOutput({ directory: shared?.address ?? "", s3 });
  // A stopped run also stores the last piece. If the piece exists, an answer was lost: no other process
  // uses the name.
  const options = { condition: "absent", signal: new AbortController().signal } as const;
  return async (name: string, text: string) => {
    const [split = ""] = name.split(".");
    await output.put(`${journalsPath(split)}/${name}`, text, options);
  };
}

/** Returns a check that stops a process that may have lost its claims. */
function claimOf({ owner, claimTime: buffer }: SharedSending) {
  const claimTime = new ClaimTime(buffer);
  return {
    journalOwner: owner,
    checkClaim() {
      if (!claimTime.isOver) return;
      throw new SwitchyardError(
        "split_lost",
        "this worker was paused, or could not renew its claim of a split in time; other workers send the rest of the split",
      );
    },
  };
}
