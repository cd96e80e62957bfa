import { join } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { version } from "../base/package-files.js";
import { layoutOf } from "./ledger/layout.js";
import { recordRunOptions } from "./ledger/recorded-options.js";
import type { SendOptions, SendRequest } from "./options.js";
import type { RunJob } from "./run-job.js";
import type { RunResult } from "./run-splits.js";
import { digestOf, recordSendOptions, sendJob } from "./send-job.js";
import { type SendManifest, type SendResult, SendStopped } from "./send-result.js";
import { countSent, findSentRun, writeSentRun } from "./sent-runs.js";

/** A job of sending, with its own options. */
export interface SendJob extends RunJob<SendManifest> {
  readonly options: SendOptions;
}

/**
 * Sends the events of inputs to a service, or resumes an earlier run of the same request. `run` does the
 * job. Throws `UsageError` if it cannot begin, and `SendStopped` if it cannot continue (the service refuses,
 * disk full).
 */
export async function runSend(
  request: SendRequest,
  run: (job: SendJob) => Promise<RunResult<SendManifest>>,
): Promise<SendResult> {
  const { destination, command, cwd: directory } = request;
  let isBegun = false;
  const { runId, job } = await prepare(request, () => {
    isBegun = true;
  });
  const standing = async () => {
    const sent = await countSent(job.layout);
    return { runId, destination, command, directory, sent };
  };
  const result = await run(job).catch(async (error: unknown) => {
    if (!isBegun || !(error instanceof SwitchyardError)) throw error;
    const known = await standing().catch(() => undefined);
    // A failure to count must not hide what went wrong.
    throw known === undefined ? error : new SendStopped(error, known);
  });
  return { ...(await standing()), ...result };
}

/** `begun` is called once there is a run that can be resumed. */
async function prepare(
  request: SendRequest,
  begun: () => void,
): Promise<{ readonly runId: string; readonly job: SendJob }> {
  const { runsDirectory, command, queue: _queue, ...others } = request;
  const { destination, inputs, cwd } = request;
  const mapped = await recordRunOptions(request);
  const { splitBytes: _, ...deciding } = mapped;
  const recorded = recordSendOptions(request, mapped);
  const identity = { destination, cwd, inputs, deciding };
  const known = request.fresh ? undefined : await findSentRun(runsDirectory, identity);
  const runId = known?.runId ?? digestOf([destination, cwd, inputs, deciding]).slice(0, 12);
  const layout = layoutOf(join(runsDirectory, runId), "events");
  const options: SendOptions = {
    ...others,
    outputDirectory: layout.outputDirectory,
    // Sent events cannot be undone.
    damaged: "keep",
    keySeed: digestOf([version, recorded]),
    isReached: known !== undefined && (await countSent(layout)).delivered > 0,
  };
  const job: SendJob = {
    ...sendJob(options, recorded, layout),
    options,
    async begun({ startedAt }) {
      const all = [...new Set([...(known?.inputs ?? []), ...inputs])];
      const run = { runId, destination, inputs: all, directory: cwd, startedAt, command };
      await writeSentRun(layout, run);
      begun();
    },
  };
  return { runId, job };
}
