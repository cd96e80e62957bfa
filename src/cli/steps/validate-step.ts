import path from "node:path";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { completeReport, writeReportFiles } from "../../engine/complete-report.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import { CONFIGURATION_NAME } from "../../pipeline/configuration/configuration-file.js";
import {
  resolveExportOptions,
  resolveValidateRequest,
} from "../../pipeline/configuration/run-options.js";
import { checkReportDirectory, FIXES_MODULE_NAME } from "../../pipeline/report/write-report.js";
import type { RunObserver } from "../../pipeline/run-observer.js";
import type { Report } from "../../profile/report.js";
import type { Discovery } from "../../readers/source-discovery.js";
import { factsOf } from "../../report/error-text.js";
import { formatNumberOf } from "../../report/quantities.js";
import { harmless, shellWord } from "../../report/terminal-text.js";
import {
  describeApplied,
  type NextStep,
  summarizeValidate,
} from "../../report/validate-summary.js";
import { checkAccepted } from "../../report/verdict.js";
import {
  exportOptions,
  flagWords,
  outputOptions,
  readingOptions,
  validateOptions,
} from "../commands/command-options.js";
import { type AppliedFixes, applyFixes } from "../init/apply-fixes.js";
import { requireFields, runExitCode, type StepContext, type StepReport } from "./step.js";

/**
 * Runs the dry run; in a migration only over the inputs that its export has not begun to read. Runs it
 * again after it has changed the configuration, so that the report shows the new state.
 */
export async function runValidateStep(
  configuration: Configuration,
  context: StepContext,
): Promise<StepReport> {
  const inputs = await findNewInputs(configuration, context);
  if (inputs?.sources.length === 0 && inputs.failures.length === 0) return nothingNew;
  const first = await validateOnce(configuration, context, inputs);
  const wantsFixes = first.files !== undefined && configuration.values.apply === true;
  const { applied, error } = wantsFixes
    ? await tryFixes(first.report, configuration, context.observer)
    : {};
  const isChanged = applied !== undefined && applied.changes.length > 0;
  if (!isChanged || context.reload === undefined) return describe(first, context, applied, error);
  context.observer.note?.("Reading again with the changed configuration.");
  const second = await validateOnce(await context.reload(), context);
  return describe(second, context, applied, error);
}

const nothingNew: StepReport = {
  exitCode: exitCodes.done,
  summary: "Nothing new to validate: the export has all inputs.",
  json: { command: "validate", exitCode: exitCodes.done, outcome: "done", nothingNew: true },
  results: {},
  isIdle: true,
};

/** Returns the inputs that the export of a migration has not begun to read; undefined for all. */
async function findNewInputs(
  configuration: Configuration,
  { engine, signal, observer, isMigration, results }: StepContext,
): Promise<Discovery | undefined> {
  const isBefore = configuration.steps.includes("export") && results.export === undefined;
  if (!isMigration || !isBefore) return undefined;
  const inputs = await engine.findNewInputs(resolveExportOptions(configuration), signal);
  const count = inputs?.sources.length ?? 0;
  if (count > 0)
    observer.note?.(`Validating ${formatNumberOf(count, "new input")}; the export has the others.`);
  return inputs;
}

async function validateOnce(
  configuration: Configuration,
  { engine, signal, observer }: StepContext,
  inputs?: Discovery,
) {
  const request = resolveValidateRequest(configuration);
  const { reportDirectory } = request;
  checkAccepted(configuration.values.acceptFindings);
  await checkReportDirectory(reportDirectory);
  const { counted, ...facts } = await engine.runValidate(request, { signal, observer }, inputs);
  const modulePath = modulePathOf(configuration, reportDirectory);
  const report = await completeReport(counted, configuration.values, modulePath);
  // Write nothing for an interrupted run: its report would not show what was not read.
  const isWritten = facts.outcome !== "interrupted";
  const files = isWritten ? await writeReportFiles(reportDirectory, report) : undefined;
  // New files may be empty, such as the files of a night.
  const isReady = inputs !== undefined && report.rows.read === 0;
  return { configuration, facts, report, files, isReady };
}

function describe(
  { configuration, facts, report, files, isReady }: Awaited<ReturnType<typeof validateOnce>>,
  context: StepContext,
  applied: AppliedFixes | undefined,
  error: SwitchyardError | undefined,
): StepReport {
  const isRefused =
    runExitCode(facts) === exitCodes.done && report.verdict.tone === "error" && !isReady;
  const exitCode = error?.exitCode ?? (isRefused ? exitCodes.failed : runExitCode(facts));
  const {
    version,
    rows,
    rejects,
    findings,
    missingFields,
    misplacedCommas,
    unusedFields,
    verdict,
    sample,
  } = report;
  const summary = summarizeValidate(report, {
    files: Object.values(files ?? {}),
    next: nextStep(report, configuration, context),
  });
  const stepReport = {
    exitCode,
    summary: [summary, ...describeApplied(applied)].join("\n"),
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
      unusedFields,
      verdict,
      ...omitUndefined({ misplacedCommas, applied, error: error && factsOf(error) }),
    },
    ...omitUndefined({ error }),
    results: { validate: { report, ...files } },
  };
  return requireFields(stepReport, configuration, missingFields);
}

/** Returns the path of the module of fixes as the configuration must name it. */
function modulePathOf({ directory }: Configuration, reportDirectory: string): string {
  const relative = path.relative(directory, path.join(reportDirectory, FIXES_MODULE_NAME));
  const posix = relative.split(path.sep).join("/");
  return posix.startsWith(".") || path.isAbsolute(relative) ? posix : `./${posix}`;
}

/** Returns an error instead of throwing it: the report must still be printed. */
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

/**
 * Returns the command to type next, with the flags of this command that it also has. As long as the
 * verdict is "not ready" it is one that helps: `init` if the mapping fits no row, else `validate`.
 */
function nextStep(
  { findings, verdict, rows }: Report,
  { values, given, fileName }: Configuration,
  { flags, program }: StepContext,
): NextStep {
  const isFixable = findings.some(({ fix }) => fix?.isSafe === true) && values.apply !== true;
  const isReady = verdict.tone !== "error";
  const isUnmapped = rows.mapped === 0 && rows.read > 0 && fileName === undefined;
  const [name, options, ...more] = isFixable
    ? (["validate", validateOptions, "--apply"] as const)
    : isReady
      ? (["export", exportOptions, ...(values.to === undefined ? ["--to", "out"] : [])] as const)
      : isUnmapped
        ? (["init", readingOptions] as const)
        : (["validate", validateOptions] as const);
  const words = [
    name,
    ...(given.has("inputs") ? (values.inputs ?? []) : []),
    ...flagWords(
      flags,
      options.filter((one) => ![...outputOptions, "apply"].includes(one)),
    ),
    ...more,
    ...(fileName === undefined || fileName === CONFIGURATION_NAME ? [] : ["--config", fileName]),
  ];
  const command = [program, ...words.map(shellWord)].join(" ");
  if (isFixable || isReady || isUnmapped) return { command };
  const hasLines = findings.some(({ severity, fix }) => severity === "error" && fix !== undefined);
  const file = harmless(fileName ?? CONFIGURATION_NAME);
  const first = hasLines ? `add the lines above to ${file}, then:` : "fix the errors above, then:";
  return { first, command };
}
