import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { version } from "../base/package-files.js";
import {
  exportOptions,
  flagWords,
  outputOptions,
  readingOptions,
  validateOptions,
} from "../commands/command-options.js";
import { runExitCode } from "../commands/run-exit-code.js";
import { completeReport, openComparison, writeReportFiles } from "../engine/complete-report.js";
import { openReloads } from "../engine/reloaded-events.js";
import { requireExpected } from "../engine/require-expected.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import type { RunObserver } from "../ledger/run-observer.js";
import type { Configuration } from "../options/configuration.js";
import { CONFIGURATION_NAME } from "../options/configuration-file.js";
import { resolveExportOptions, resolveValidateRequest } from "../options/run-options.js";
import { checkReportDirectory, FIXES_MODULE_NAME, REPORT_NAME } from "../output/write-report.js";
import type { Report } from "../profile/report.js";
import { factsOf } from "../report/error-text.js";
import { formatNumberOf } from "../report/quantities.js";
import { harmless, shellWord } from "../report/terminal-text.js";
import {
  type AppliedFixes,
  describeApplied,
  describeFixed,
  type NextStep,
  summarizeValidate,
} from "../report/validate-summary.js";
import { checkAccepted } from "../report/verdict.js";
import { findNewInputs } from "../run/new-inputs.js";
import { exceeds } from "../run/run.js";
import { digestFiles, listInputs, withoutPaths } from "../sources/inputs.js";
import type { Discovery } from "../sources/source-discovery.js";
import { applyFixes } from "./apply-fixes.js";
import { requireFields, type StepContext, type StepReport } from "./step.js";

/**
 * Runs the dry run; in a migration only over the inputs that its export has not begun to read. With
 * `--apply` it takes the fixes from the last report, and reads only if that is not of the same inputs
 * and configuration.
 */
export async function runValidateStep(
  configuration: Configuration,
  context: StepContext,
): Promise<StepReport> {
  const inputs = await inputsOf(configuration, context);
  if (inputs?.sources.length === 0 && inputs.failures.length === 0) return nothingNew;
  checkAccepted(configuration.values.acceptFindings);
  await checkReportDirectory(resolveValidateRequest(configuration).reportDirectory);
  await requireExpected(configuration, context.signal);
  const compare = await openComparison(configuration.values.compare);
  const countReloaded = await openReloads(configuration, context.signal);
  const wantsFixes = configuration.values.apply === true;
  const basis = inputs === undefined ? await basisOf(configuration, context.signal) : undefined;
  const last =
    wantsFixes && basis !== undefined && compare === undefined
      ? await lastReport(configuration, basis)
      : undefined;
  if (last !== undefined) return applyReport(last, configuration, context);
  const done = await validateOnce(configuration, context, {
    inputs,
    basis,
    compare,
    countReloaded,
  });
  const { applied, error } =
    wantsFixes && done.files !== undefined
      ? await tryFixes(done.report, configuration, context.observer)
      : {};
  return describe(done, context, applied, error);
}

/** Identifies the inputs, the options that decide the report, and the version. */
async function basisOf(configuration: Configuration, signal: AbortSignal): Promise<string> {
  const request = resolveValidateRequest(configuration);
  const { dayZone, sampleShare, quick, format, compression, csvSafe, columns } = request;
  const { maxRejects } = request;
  const read = { dayZone, sampleShare, ...omitUndefined({ quick }) };
  const options = { ...read, format, compression, csvSafe, columns, maxRejects };
  const { acceptFindings } = configuration.values;
  const facts = { version, ...options, acceptFindings, run: await recordRunOptions(request) };
  const { cwd, s3, notInputs } = request;
  const found = await listInputs(request.inputs, cwd, { s3, signal });
  const inputs = await digestFiles(await withoutPaths(found, notInputs));
  return createHash("sha256")
    .update(JSON.stringify([facts, inputs]))
    .digest("hex");
}

/** Returns the last report and its path if it is on the same basis. */
async function lastReport(configuration: Configuration, basis: string) {
  const { reportDirectory } = resolveValidateRequest(configuration);
  const reportPath = path.join(reportDirectory, REPORT_NAME);
  const text = await readFile(reportPath, "utf8").catch(() => "");
  // A report of the same version has the same schema.
  return text.includes(`"${basis}"`)
    ? { report: JSON.parse(text) as Report, reportPath }
    : undefined;
}

/** Writes the safe fixes of a report. */
async function applyReport(
  { report, reportPath }: { readonly report: Report; readonly reportPath: string },
  configuration: Configuration,
  context: StepContext,
): Promise<StepReport> {
  const { applied, error } = await tryFixes(report, configuration, context.observer);
  const isRefused = exceeds(report.rows, resolveValidateRequest(configuration).maxRejects);
  const state = { outcome: "done", tooManyRejects: isRefused } as const;
  const exitCode = error?.exitCode ?? exitCodeOf(report, state, applied);
  const next = nextStep(report, configuration, context, applied);
  return {
    exitCode,
    summary: describeFixed(reportPath, applied, next),
    next: next.command,
    json: {
      command: "validate",
      exitCode,
      outcome: "done",
      reportPath,
      ...omitUndefined({ applied, error: error && factsOf(error) }),
    },
    ...omitUndefined({ error }),
    results: { validate: { report } },
  };
}

const nothingNew: StepReport = {
  exitCode: exitCodes.done,
  summary: "Nothing new to validate: the export has all inputs.",
  json: { command: "validate", exitCode: exitCodes.done, outcome: "done", nothingNew: true },
  results: {},
  isIdle: true,
};

/** Returns the inputs that the export of a migration has not begun to read; undefined for all. */
async function inputsOf(
  configuration: Configuration,
  { signal, observer, isMigration, results }: StepContext,
): Promise<Discovery | undefined> {
  const isBefore = configuration.steps.includes("export") && results.export === undefined;
  if (!isMigration || !isBefore) return undefined;
  const inputs = await findNewInputs(resolveExportOptions(configuration), signal);
  const count = inputs?.sources.length ?? 0;
  if (count > 0)
    observer.note?.(`Validating ${formatNumberOf(count, "new input")}; the export has the others.`);
  return inputs;
}

async function validateOnce(
  configuration: Configuration,
  { runs, signal, observer }: StepContext,
  {
    inputs,
    basis,
    ...additions
  }: {
    readonly inputs: Discovery | undefined;
    readonly basis: string | undefined;
    readonly compare: Awaited<ReturnType<typeof openComparison>>;
    readonly countReloaded: Awaited<ReturnType<typeof openReloads>>;
  },
) {
  const request = resolveValidateRequest(configuration);
  const { reportDirectory } = request;
  const { counted, ...facts } = await runs.validate(request, { signal, observer }, inputs);
  const modulePath = modulePathOf(configuration, reportDirectory);
  const { outcome } = facts;
  const complete = await completeReport(counted, configuration, modulePath, {
    ...additions,
    outcome,
  });
  const report = { ...complete, run: { ...complete.run, ...omitUndefined({ basis }) } };
  // Write nothing for an interrupted run: its report would not show what was not read.
  const isWritten = outcome !== "interrupted";
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
  const exitCode =
    error?.exitCode ?? (isReady ? runExitCode(facts) : exitCodeOf(report, facts, applied));
  const { rows, rejects, findings, missingFields, misplacedCommas, unusedFields, verdict } = report;
  const { sample, limit, target, comparison } = report;
  const next = nextStep(report, configuration, context, applied);
  const summary = summarizeValidate(report, { files: Object.values(files ?? {}), next });
  const stepReport = {
    exitCode,
    summary: [summary, ...describeApplied(applied)].join("\n"),
    next: next.command,
    json: {
      command: "validate",
      exitCode,
      ...facts,
      ...files,
      version,
      sample,
      ...omitUndefined({ limit, target, comparison }),
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

/**
 * Returns the exit code of a dry run. Where fixes were written, the verdict is about the state before
 * them, and does not count.
 */
function exitCodeOf(
  { verdict }: Report,
  facts: Parameters<typeof runExitCode>[0],
  applied: AppliedFixes | undefined,
): number {
  if (facts.outcome === "done" && hasChanges(applied)) return exitCodes.done;
  const exitCode = runExitCode(facts);
  return exitCode === exitCodes.done && verdict.tone === "error" ? exitCodes.failed : exitCode;
}

const hasChanges = (applied: AppliedFixes | undefined) => (applied?.changes.length ?? 0) > 0;

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
  applied: AppliedFixes | undefined,
): NextStep {
  const isFixable = findings.some(({ fix }) => fix?.isSafe === true) && values.apply !== true;
  const isReady = verdict.tone !== "error" && !hasChanges(applied);
  const isUnmapped =
    rows.mapped === 0 && rows.read > 0 && fileName === undefined && !hasChanges(applied);
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
  const hasErrors = findings.some(({ severity }) => severity === "error");
  if (isFixable || isReady || isUnmapped || hasChanges(applied) || !hasErrors) return { command };
  const hasLines = findings.some(({ severity, fix }) => severity === "error" && fix !== undefined);
  const file = harmless(fileName ?? CONFIGURATION_NAME);
  const first = hasLines ? `add the lines above to ${file}, then:` : "fix the errors above, then:";
  return { first, command };
}
