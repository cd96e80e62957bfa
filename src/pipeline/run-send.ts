import { SwitchyardError } from "../base/errors.js";
import { version } from "../base/package-files.js";
import { layoutOf } from "./ledger/layout.js";
import { recordRunOptions } from "./ledger/recorded-options.js";
import type { SendOptions, SendRequest } from "./options.js";
import { pathInOutput } from "./remote/output-place.js";
import type { RunJob, RunPublisher } from "./run-job.js";
import type { RunResult } from "./run-splits.js";
import { digestOf, recordSendOptions, sendJob } from "./send-job.js";
import { type SendManifest, type SendResult, SendStopped } from "./send-result.js";
import { countSent, findSentRun, type RunsPlace, withRun, writeSentRun } from "./sent-runs.js";

/** A run of sending that is ready to begin. */
export interface PreparedSend {
  /** The output directory is that of the run, or its address. */
  readonly options: SendOptions;
  /** Returns the job for the run's directory, or for a copy of it. */
  jobIn(directory: string, publisher?: RunPublisher): RunJob<SendManifest>;
}

/**
 * Sends the events of inputs to a service, or resumes an earlier run of the same request. `run` does the
 * work. Throws `UsageError` if it cannot begin, and `SendStopped` if it cannot continue (the service refuses,
 * disk full).
 */
export async function runSend(
  request: SendRequest,
  signal: AbortSignal,
  run: (prepared: PreparedSend) => Promise<RunResult<SendManifest>>,
): Promise<SendResult> {
  const { destination, command, cwd: directory, s3, runsDirectory } = request;
  const place: RunsPlace = { directory: runsDirectory, s3, signal };
  let isBegun = false;
  const { runId, prepared } = await prepare(request, place, () => {
    isBegun = true;
  });
  const standing = async () => {
    const sent = await withRun(place, runId, countSent);
    return { runId, destination, command, directory, sent };
  };
  const result = await run(prepared).catch(async (error: unknown) => {
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
  place: RunsPlace,
  begun: () => void,
): Promise<{ readonly runId: string; readonly prepared: PreparedSend }> {
  const { runsDirectory, command, queue: _queue, ...others } = request;
  const { destination, inputs, cwd } = request;
  const mapped = await recordRunOptions(request);
  const { splitBytes: _, ...deciding } = mapped;
  const recorded = recordSendOptions(request, mapped);
  const identity = { destination, cwd, inputs, deciding };
  const known = request.fresh ? undefined : await findSentRun(place, identity);
  const runId = known?.runId ?? digestOf([destination, cwd, inputs, deciding]).slice(0, 12);
  const options: SendOptions = {
    ...others,
    outputDirectory: pathInOutput(runsDirectory, runId),
    // Sent events cannot be undone.
    damaged: "keep",
    keySeed: digestOf([version, recorded]),
    isReached: known !== undefined && (await withRun(place, runId, countSent)).delivered > 0,
  };
  const jobIn: PreparedSend["jobIn"] = (outputDirectory, publisher) => {
    const layout = layoutOf(outputDirectory, "events");
    return {
      ...sendJob({ ...options, outputDirectory }, recorded, layout),
      publisher,
      async begun({ startedAt }) {
        const all = [...new Set([...(known?.inputs ?? []), ...inputs])];
        const run = { runId, destination, inputs: all, directory: cwd, startedAt, command };
        await writeSentRun(layout, run);
        begun();
      },
    };
  };
  return { runId, prepared: { options, jobIn } };
}
