import { exitCodes } from "../base/errors.js";
import type { Configuration } from "../pipeline/configuration.js";
import { requireOutput } from "../pipeline/configuration-export.js";
import { summarizeVerify } from "../report/verify-summary.js";
import type { StepContext, StepReport } from "./step.js";

export async function runVerifyStep(
  configuration: Configuration,
  { engine, signal, observer }: StepContext,
): Promise<StepReport> {
  const result = await engine.verifyExport(requireOutput(configuration.values), {
    signal,
    observer,
  });
  const exitCode = result.outcome === "verified" ? exitCodes.done : exitCodes.failed;
  return {
    exitCode,
    summary: summarizeVerify(result),
    json: { command: "verify", exitCode, ...result },
  };
}
