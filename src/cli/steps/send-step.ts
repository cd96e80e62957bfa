import type { Configuration } from "../../pipeline/configuration/configuration.js";
import { resolveSendRequest } from "../../pipeline/configuration/send-options.js";
import { type SendResult, type SendStanding, SendStopped } from "../../pipeline/send-result.js";
import { factsOf } from "../../report/error-text.js";
import { summarizeSend, summarizeStoppedSend } from "../../report/run-summary.js";
import type { StepContext, StepReport } from "./step.js";
import { runExitCode } from "./step.js";

export async function runSendStep(
  configuration: Configuration,
  { engine, signal, observer, commandLine }: StepContext,
): Promise<StepReport> {
  const request = resolveSendRequest(configuration, commandLine);
  try {
    const result = await engine.runSend(request, { signal, observer });
    const exitCode = runExitCode(result);
    return {
      exitCode,
      summary: summarizeSend(result),
      json: jsonOfResult(result, exitCode),
      results: { send: result },
    };
  } catch (error) {
    if (!(error instanceof SendStopped)) throw error;
    const { exitCode, standing } = error;
    const json = { ...jsonOfStanding(standing, exitCode), error: factsOf(error) };
    return { exitCode, summary: summarizeStoppedSend(standing), json, error, results: {} };
  }
}

function jsonOfResult(result: SendResult, exitCode: number) {
  const { outcome, manifest, manifestPath, failures, tooManyRejects } = result;
  const { alreadyDone, rowsRead, durationMs } = result;
  const { version, rows, rejects, notices } = manifest;
  return {
    ...jsonOfStanding(result, exitCode),
    outcome,
    manifestPath,
    failures,
    tooManyRejects,
    alreadyDone,
    rowsRead,
    durationMs,
    version,
    rows,
    rejects,
    notices,
  };
}

/** Returns the facts of a run, finished or not. `delivery` counts so far. */
function jsonOfStanding(
  { runId, destination, sent, directory, command }: SendStanding,
  exitCode: number,
) {
  const { splitsDone, splitsTotal, ...delivery } = sent;
  const isOver = splitsDone === splitsTotal;
  return {
    command: "send",
    exitCode,
    runId,
    destination,
    delivery,
    splitsDone,
    splitsTotal,
    ...(isOver ? {} : { resume: { directory, command } }),
  };
}
