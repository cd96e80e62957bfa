import { exitCodes } from "../base/errors.js";
import { verifyStored } from "../check/verify/verify-stored.js";
import { openRange } from "../formats/input-formats.js";
import type { Configuration } from "../options/configuration.js";
import { requireExport } from "../options/run-options.js";
import { summarizeStored, summarizeVerify } from "../report/verify-summary.js";
import type { StepContext, StepReport } from "./step.js";

export async function runVerifyStep(
  configuration: Configuration,
  { runs, signal, observer, results: { send }, stored: storedEvents }: StepContext,
): Promise<StepReport> {
  const place = requireExport(configuration, "verify");
  const readsAll = configuration.values.read ?? false;
  const verify = await runs.verify({ ...place, readsAll }, { signal, observer });
  if (verify.outcome !== "verified" || storedEvents === undefined || send === undefined) {
    const exitCode = exitCodeOf(verify);
    return {
      exitCode,
      summary: summarizeVerify(verify),
      json: { command: "verify", exitCode, ...verify },
      results: { verify },
    };
  }
  const refused = send.manifest.rejects.find(({ code }) => code === "destination_refused");
  const task = { place, stored: storedEvents, refused: refused?.rows ?? 0 };
  const stored = await verifyStored(task, { signal, openReader: openRange });
  const exitCode = exitCodeOf(stored);
  return {
    exitCode,
    summary: `${summarizeVerify(verify)}\n\n${summarizeStored(stored)}`,
    json: { command: "verify", exitCode, ...verify, stored },
    results: { verify, stored },
  };
}

function exitCodeOf({ outcome }: { readonly outcome: "verified" | "different" }): number {
  return outcome === "verified" ? exitCodes.done : exitCodes.failed;
}
