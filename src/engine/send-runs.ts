import type { SendOptions, SendRequest } from "../pipeline/options.js";
import { isObjectUrl } from "../pipeline/remote/output-place.js";
import type { RunOutside, RunPublisher } from "../pipeline/run-job.js";
import type { RunContext } from "../pipeline/run-observer.js";
import { type PreparedSend, runSend } from "../pipeline/run-send.js";
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
    runSend(request, context.signal, (prepared) =>
      queue === undefined
        ? runSplits(prepared.jobIn(prepared.options.outputDirectory), context, outside)
        : runQueuedSend(prepared, queue, context, outside),
    ),
  );
}

async function runQueuedSend(
  { options, jobIn }: PreparedSend,
  queue: string,
  context: RunContext,
  outside: RunOutside,
): Promise<RunResult<SendManifest>> {
  const { runCoordinator } = await import("../pipeline/queue/run-coordinator.js");
  const { outputDirectory } = options;
  return runCoordinator<SendOptions, RunResult<SendManifest>>(options, context, {
    ...outside,
    queue,
    output: await openOutput(outputDirectory, options),
    jobOf: async (local, publisher) => jobIn(local.outputDirectory, publisher),
    async finish(inputs) {
      const found = { ...outside, discover: async () => inputs };
      const finish = (directory: string, inside: RunContext, publisher?: RunPublisher) => {
        const job = jobIn(directory, publisher);
        const finishing = { ...job, options: { ...job.options, fresh: false }, finishesOnly: true };
        return runSplits(finishing, inside, found);
      };
      if (!isObjectUrl(outputDirectory)) return finish(outputDirectory, context);
      const { runInStore } = await import("../pipeline/remote/run-in-store.js");
      return runInStore(options, context, (local, inside, publisher) =>
        finish(local.outputDirectory, inside, publisher),
      );
    },
  });
}
