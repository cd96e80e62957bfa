import type { SendOptions, SendRequest } from "../pipeline/options.js";
import type { RunOutside } from "../pipeline/run-job.js";
import type { RunContext } from "../pipeline/run-observer.js";
import { runSend, type SendJob } from "../pipeline/run-send.js";
import { type RunResult, runSplits } from "../pipeline/run-splits.js";
import type { SendManifest, SendResult } from "../pipeline/send-result.js";
import { openOutput } from "./export-runs.js";
import { watchStore } from "./store-watch.js";

/** Sends events, with the workers of a queue if the request names one. */
export function runSendTo(
  request: SendRequest,
  context: RunContext,
  outside: RunOutside,
): Promise<SendResult> {
  const { queue } = request;
  return watchStore(context, () =>
    runSend(request, (job) =>
      queue === undefined
        ? runSplits(job, context, outside)
        : runQueuedSend(job, queue, context, outside),
    ),
  );
}

async function runQueuedSend(
  job: SendJob,
  queue: string,
  context: RunContext,
  outside: RunOutside,
): Promise<RunResult<SendManifest>> {
  const { runCoordinator } = await import("../pipeline/queue/run-coordinator.js");
  const { options } = job;
  const finishing = { ...job, options: { ...options, fresh: false }, finishesOnly: true };
  return runCoordinator<SendOptions, RunResult<SendManifest>>(options, context, {
    ...outside,
    queue,
    output: await openOutput(options.outputDirectory, options),
    jobOf: async () => job,
    finish: (inputs) => runSplits(finishing, context, { ...outside, discover: async () => inputs }),
  });
}
