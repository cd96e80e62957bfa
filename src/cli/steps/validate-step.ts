import path from "node:path";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { completeReport, writeReportFiles } from "../../engine/complete-report.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import { resolveValidateRequest } from "../../pipeline/configuration/run-options.js";
import { checkReportDirectory, FIXES_MODULE_NAME } from "../../pipeline/report/write-report.js";
import type { RunObserver } from "../../pipeline/run-observer.js";
import type { Report } from "../../profile/report.js";
import { shellWord } from "../../report/terminal-text.js";
import { describeApplied, summarizeValidate } from "../../report/validate-summary.js";
import { checkAccepted } from "../../report/verdict.js";
import { type AppliedFixes, applyFixes } from "../init/apply-fixes.js";
import type { StepContext, StepReport } from "./step.js";
import { requireFields, runExitCode } from "./step.js";

export async function runValidateStep(
  configuration: Configuration,
  { engine, signal, observer }: StepContext,
): Promise<StepReport> {
  const { values } = configuration;
  const request = resolveValidateRequest(configuration);
  const { reportDirectory } = request;
  checkAccepted(values.acceptFindings);
  await checkReportDirectory(reportDirectory);
  const result = await engine.runValidate(request, { signal, observer });
  const runCode = runExitCode(result);
  const { counted, ...facts } = result;
  const report = await completeReport(
    counted,
    values,
    modulePathOf(configuration, reportDirectory),
  );
  const isReady = report.verdict.tone !== "error";
  const exitCode = runCode === exitCodes.done && !isReady ? exitCodes.failed : runCode;
  // Write nothing for an interrupted run: its report would not show what was not read.
  const isWritten = exitCode !== exitCodes.interrupted;
  const files = isWritten ? await writeReportFiles(reportDirectory, report) : {};
  const wantsFixes = isWritten && values.apply === true;
  const fixes = wantsFixes ? await tryFixes(report, configuration, observer) : {};
  const { version, rows, rejects, findings, missingFields, verdict, sample } = report;
  const summary = summarizeValidate(report, {
    files: Object.values(files),
    next: nextCommand(report, request.inputs, configuration),
  });
  const stepReport = {
    exitCode: fixes.error?.exitCode ?? exitCode,
    summary: [summary, ...describeApplied(fixes.applied)].join("\n"),
    json: {
      command: "validate",
      exitCode,
      ...facts,
      ...files,
      version,
      sample,
      rows,
      rejects,
      findings,
      missingFields,
      verdict,
      ...(fixes.applied === undefined ? {} : { applied: fixes.applied }),
    },
    ...(fixes.error === undefined ? {} : { error: fixes.error }),
    results: { validate: { report, ...files } },
  };
  return requireFields(stepReport, configuration, missingFields);
}

/** Returns the path of the module of fixes as the configuration has to name it. */
function modulePathOf({ directory }: Configuration, reportDirectory: string): string {
  const relative = path.relative(directory, path.join(reportDirectory, FIXES_MODULE_NAME));
  const posix = relative.split(path.sep).join("/");
  return posix.startsWith(".") || path.isAbsolute(relative) ? posix : `./${posix}`;
}

/** Returns an error instead of throwing it, so that the report is still printed. */
async function tryFixes(
  { findings }: Report,
  configuration: Configuration,
  observer: RunObserver,
): Promise<{ readonly applied?: AppliedFixes; readonly error?: SwitchyardError }> {
  try {
    const applied = await applyFixes(findings, configuration, (text) => observer.note?.(text));
    return { applied };
  } catch (error) {
    if (error instanceof SwitchyardError) return { error };
    throw error;
  }
}

function nextCommand(
  { findings }: Report,
  inputs: readonly string[],
  { values, given }: Configuration,
): string {
  const isFixable = findings.some(({ fix }) => fix?.isSafe === true);
  const words =
    isFixable && values.apply !== true
      ? ["validate", ...(given.has("inputs") ? inputs : []), "--apply"]
      : ["export", ...inputs, "--to", values.to ?? "out"];
  return ["switchyard", ...words.map(shellWord)].join(" ");
}
