import { exitCodes } from "../base/errors.js";
import type { Configuration } from "../pipeline/configuration.js";
import { presetOf } from "../pipeline/configuration-export.js";
import { resolveValidateRequest } from "../pipeline/configuration-validate.js";
import { REPORT_PAGE_NAME, writeReport, writeReportFile } from "../pipeline/write-report.js";
import type { Report } from "../profile/report.js";
import { renderReport } from "../report/html/render-report.js";
import { shellWord } from "../report/terminal-text.js";
import { summarizeValidate } from "../report/validate-summary.js";
import { completeReport } from "./complete-report.js";
import { runExitCode } from "./run-exit-code.js";
import type { StepContext, StepReport } from "./step.js";

export async function runValidateStep(
  configuration: Configuration,
  { engine, signal, observer }: StepContext,
): Promise<StepReport> {
  const { values } = configuration;
  const mapping = engine.resolveMapping(presetOf(values), configuration.mapping);
  const request = resolveValidateRequest(configuration, mapping);
  const result = await engine.runValidate(request, { signal, observer });
  const exitCode = runExitCode(result);
  const { counted, ...facts } = result;
  const report = completeReport(counted, values);
  // Of an interrupted run nothing is written: the report would not say what was not read.
  const isWritten = exitCode !== exitCodes.interrupted;
  const files = isWritten ? await writeFiles(request.reportDirectory, report) : {};
  const next = ["export", ...request.inputs, "--to", values.to ?? "out"];
  const { version, rows, rejects, findings, sample } = report;
  return {
    exitCode,
    summary: summarizeValidate(report, {
      files: Object.values(files),
      next: ["switchyard", ...next.map(shellWord)].join(" "),
    }),
    json: {
      ...{ command: "validate", exitCode, ...facts, ...files },
      ...{ version, sample, rows, rejects, findings },
    },
    results: { validate: report },
  };
}

/** Writes what there is of the report, the file for people first. */
async function writeFiles(
  directory: string,
  report: Report,
): Promise<Readonly<Record<string, string>>> {
  const htmlPath = await writeReportFile(directory, REPORT_PAGE_NAME, renderReport(report));
  return { htmlPath, reportPath: await writeReport(directory, report) };
}
