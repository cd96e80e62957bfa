import { createHash } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import { version } from "../base/package-files.js";
import { runInPlace, type SpecOf } from "../distributed/run-place.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { SendOptions, SendRequest } from "../options/options.js";
import { pathInOutput, type SignalledPlace } from "../output/output-place.js";
import { type SendManifest, type SendResult, SendStopped } from "../run/send-result.js";
import { recordSendOptions, sendSpec } from "../run/send-spec.js";
import { countSent, findSentRun, withRun, writeSentRun } from "../run/sent-runs.js";

/**
 * Sends the events of inputs to a service, with the workers of a queue if the request names one, or resumes
 * an earlier run of the same request. Throws `UsageError` if it cannot begin, and `SendStopped` if it cannot
 * continue (the service refuses, disk full).
 */
export async function runSend(request: SendRequest, context: RunContext): Promise<SendResult> {
  const { destination, command, cwd: directory, s3, runsDirectory, queue } = request;
  const place: SignalledPlace = { directory: runsDirectory, s3, signal: context.signal };
  let isBegun = false;
  const { runId, options, specOf } = await prepare(request, place, () => {
    isBegun = true;
  });
  const standing = async () => {
    const sent = await withRun(place, runId, countSent);
    return { runId, destination, command, directory, sent };
  };
  const send = async () => {
    if (queue === undefined) return runInPlace(options, context, specOf);
    const { runCoordinator } = await import("../distributed/run-coordinator.js");
    return runCoordinator({ options, queue, specOf }, context);
  };
  const result = await send().catch(async (error: unknown) => {
    if (!isBegun || !(error instanceof SwitchyardError)) throw error;
    const known = await standing().catch(() => undefined);
    // A failure to count must not hide the error of the run.
    throw known === undefined ? error : new SendStopped(error, known);
  });
  return { ...(await standing()), ...result };
}

/** A run of sending that is ready to begin. */
interface PreparedSend {
  readonly runId: string;
  /** The output directory is that of the run, or its address. */
  readonly options: SendOptions;
  readonly specOf: SpecOf<SendOptions, SendManifest>;
}

/** `begun` is called once the run can be resumed. */
async function prepare(
  request: SendRequest,
  place: SignalledPlace,
  begun: () => void,
): Promise<PreparedSend> {
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
    // Events that were sent cannot be taken back.
    damaged: "keep",
    keySeed: digestOf([version, recorded]),
    isReached: known !== undefined && (await withRun(place, runId, countSent)).delivered > 0,
  };
  const specOf: PreparedSend["specOf"] = async (local, files) => {
    const spec = sendSpec(local, recorded, files);
    const { layout } = spec.output;
    const begin: typeof spec.output.begin = async ({ startedAt }) => {
      const all = [...new Set([...(known?.inputs ?? []), ...inputs])];
      const run = { runId, destination, inputs: all, directory: cwd, startedAt, command };
      await writeSentRun(layout, run);
      begun();
    };
    return { ...spec, output: { ...spec.output, begin } };
  };
  return { runId, options, specOf };
}

function digestOf(facts: unknown): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
