import type { Configuration } from "../pipeline/configuration.js";
import { presetOf } from "../pipeline/configuration-export.js";
import { resolveSendRequest } from "../pipeline/configuration-send.js";
import type { SendResult } from "../pipeline/send-result.js";
import { summarizeSend } from "../report/send-summary.js";
import { runExitCode } from "./run-exit-code.js";
import type { StepContext, StepReport } from "./step.js";

export async function runSendStep(
  configuration: Configuration,
  { engine, signal, observer, commandLine }: StepContext,
): Promise<StepReport> {
  const mapping = engine.resolveMapping(presetOf(configuration.values), configuration.mapping);
  const request = resolveSendRequest(configuration, mapping, commandLine);
  const result = await engine.runSend(request, { signal, observer });
  const exitCode = runExitCode(result);
  return { exitCode, summary: summarizeSend(result), json: jsonOf(result, exitCode) };
}

function jsonOf({ manifest, ...run }: SendResult, exitCode: number) {
  const { version, destination, delivery, rows, rejects, notices } = manifest;
  return {
    ...{ command: "send", exitCode, ...run },
    ...{ version, destination, delivery, rows, rejects, notices },
  };
}
