import path from "node:path";
import { throwIfInterrupted, UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { flagText, nameOptions } from "../base/option-text.js";
import {
  checkAccepted,
  completeReport,
  missingFieldsError,
  openComparison,
  writeReportFiles,
} from "../engine/complete-report.js";
import { openReloads } from "../engine/reloaded-events.js";
import { runs } from "../engine/runs.js";
import type { RunContext, RunObserver, RunProgress } from "../ledger/run-observer.js";
import { locate } from "../options/option-names.js";
import { optionTable } from "../options/option-table.js";
import {
  placeOf,
  resolveExportOptions,
  resolveIdentitiesRequest,
  resolveValidateRequest,
} from "../options/run-options.js";
import { resolveSendRequest } from "../options/send-options.js";
import { checkReportDirectory, FIXES_MODULE_NAME } from "../output/write-report.js";
import { configurationOf, inNames, requireOptions } from "./library-configuration.js";
import type {
  ExportEventsOptions,
  IdentitiesOptions,
  SendEventsOptions,
  ValidateExportOptions,
  VerifyExportOptions,
} from "./library-options.js";
import type { ValidateExportResult } from "./report-types.js";
import type {
  ExportEventsResult,
  IdentitiesResult,
  RunResult,
  SendEventsResult,
  VerifyExportResult,
} from "./results.js";
import type { RunControl } from "./run-control.js";

/**
 * Exports events to one directory per day, or resumes the export that `to` holds. Sources that
 * cannot be read make the outcome `failed`, after all others are done. Rejects with `UsageError`
 * for options that are not valid, and with `SwitchyardError` if the run cannot continue (disk full,
 * directory in use).
 */
export function exportEvents(options: ExportEventsOptions): Promise<ExportEventsResult> {
  return withNames(async () => {
    const configuration = await configurationOf(options, ["export"]);
    requireOptions(configuration, ["inputs", "to"]);
    const request = resolveExportOptions(configuration);
    const result = await controlRun(options, (context) => runs.export(request, context));
    return endRun(options, result, result.manifest.missingFields);
  });
}

/**
 * Reads and maps inputs without exporting them, and returns a report of what an export would do.
 * Writes files only if `report` names a directory. Rejects like `exportEvents`.
 */
export function validateExport(options: ValidateExportOptions): Promise<ValidateExportResult> {
  return withNames(async () => {
    const configuration = await configurationOf(options, ["validate", "export", "send"]);
    requireOptions(configuration, ["inputs"]);
    const { keptKeysDirectory, ...request } = resolveValidateRequest(configuration);
    const { reportDirectory } = request;
    checkAccepted(configuration.values.acceptFindings);
    const compare = await openComparison(configuration.values.compare);
    const { signal = new AbortController().signal } = options;
    const countReloaded = await openReloads(configuration, signal);
    const writes = options.report !== undefined;
    if (writes) await checkReportDirectory(reportDirectory);
    const { counted, ...result } = await controlRun(options, (context) =>
      runs.validate({ ...request, ...(writes && { keptKeysDirectory }) }, context),
    );
    const modulePath = path.join(reportDirectory, FIXES_MODULE_NAME);
    const report = await completeReport(counted, configuration, modulePath, {
      outcome: result.outcome,
      compare,
      countReloaded,
    });
    const files =
      writes && result.outcome !== "interrupted"
        ? await writeReportFiles(reportDirectory, report)
        : {};
    return endRun(options, { ...result, ...files, report }, report.missingFields);
  });
}

/**
 * Sends events to the event webhook of a service, or resumes the run with the same options: what
 * the service has acknowledged is not sent again. Rejects like `exportEvents`, and with
 * `SwitchyardError` if the service refuses all requests or gives no success for `giveUpAfter`
 * seconds.
 */
export function sendEvents(options: SendEventsOptions): Promise<SendEventsResult> {
  return withNames(async () => {
    const configuration = await configurationOf(options, ["send", "export"]);
    requireOptions(configuration, ["inputs", "sendTo", "serverSecret"]);
    const { to, inputs } = options;
    const command = [
      "send",
      ...(typeof inputs === "string" ? [inputs] : inputs),
      flagText("to"),
      to,
    ];
    const request = resolveSendRequest(configuration, command);
    const result = await controlRun(options, (context) => runs.send(request, context));
    const { outcome, runId, destination, sent, manifest, manifestPath, failures } = result;
    const { tooManyRejects, alreadyDone, epochs, rowsRead, durationMs } = result;
    const { rows, limit, rejects, missingFields } = manifest;
    const counts = { sent, rows, ...omitUndefined({ limit }), rejects, rowsRead, durationMs };
    const ends = { outcome, failures, tooManyRejects, alreadyDone };
    const sentEvents = { ...ends, ...counts, runId, destination, manifestPath, epochs };
    return endRun(options, sentEvents, missingFields);
  });
}

/**
 * Makes a table anonymous id → user id from what inputs say of their ids, for the option `identity`.
 * The table replaces an earlier one as a whole. Rejects like `exportEvents`.
 */
export function identities(options: IdentitiesOptions): Promise<IdentitiesResult> {
  return withNames(async () => {
    const configuration = await configurationOf(options, ["export"]);
    requireOptions(configuration, ["inputs", "to"]);
    const request = resolveIdentitiesRequest(configuration);
    const result = await controlRun(options, (context) => runs.identities(request, context));
    const { accounts, bytesRead: _, ...facts } = result;
    return { ...facts, rows: accounts.rows, rejects: accounts.rejects };
  });
}

/**
 * Reads an export back and compares it with its manifest. Differences are in the result. Rejects
 * with `SwitchyardError` if the manifest cannot be read.
 */
export function verifyExport(
  directory: string,
  options: VerifyExportOptions = {},
): Promise<VerifyExportResult> {
  return withNames(async () => {
    const configuration = await configurationOf(options, ["verify"]);
    if (typeof directory !== "string" || directory === "") {
      throw new UsageError(
        "output_missing",
        "directory is missing: pass the directory of an export, or its address in a store.",
      );
    }
    const located = locate(optionTable.to.type, directory, configuration.directory) as string;
    const place = placeOf(configuration, located);
    const readsAll = configuration.values.read ?? false;
    return control(options, (context) => runs.verify({ ...place, readsAll }, context));
  });
}

/** Returns the result. Throws `fields_missing` if `requireFields` is set and the run is done. */
function endRun<Result extends RunResult>(
  { requireFields }: Pick<ExportEventsOptions, "requireFields">,
  result: Result,
  missing: Parameters<typeof missingFieldsError>[0],
): Result {
  const error = requireFields === true ? missingFieldsError(missing) : undefined;
  if (error !== undefined && result.outcome === "done") throw error;
  return result;
}

/** Runs `work`. The message of an error has the names of options instead of flags. */
async function withNames<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw inNames(error);
  }
}

/** Runs `work`. An abort before it reads anything rejects with `interrupted`, at whatever moment. */
async function controlRun<Result>(
  options: RunControl,
  work: (context: RunContext) => Promise<Result>,
): Promise<Result> {
  try {
    return await control(options, work);
  } catch (error) {
    const { signal } = options;
    if (signal?.aborted === true && error === signal.reason) throwIfInterrupted(signal);
    throw error;
  }
}

const PROGRESS_INTERVAL_MS = 500;

/** Runs `work`, and reports its progress twice a second, and once at the end. */
async function control<Result>(
  { signal = new AbortController().signal, onProgress, onNote }: RunControl,
  work: (context: RunContext) => Promise<Result>,
): Promise<Result> {
  throwIfInterrupted(signal);
  let current: (() => RunProgress) | undefined;
  const report = () => {
    if (current === undefined) return;
    const { phase = "reading", bytesDone, bytesTotal, rows, rejects } = current();
    onProgress?.({ phase, bytesDone, bytesTotal, rows, rejects });
  };
  const observer: RunObserver = {
    started(progress) {
      current = progress;
    },
    note: (text) => onNote?.(nameOptions(text, "names")),
  };
  const timer = setInterval(report, PROGRESS_INTERVAL_MS);
  try {
    return await work({ signal, observer });
  } finally {
    clearInterval(timer);
    report();
  }
}
