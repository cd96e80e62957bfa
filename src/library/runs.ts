import path from "node:path";
import { throwIfInterrupted } from "../base/errors.js";
import { checkAccepted, completeReport, writeReportFiles } from "../engine/complete-report.js";
import { createEngine } from "../engine/engine.js";
import {
  resolveExportOptions,
  resolveValidateRequest,
} from "../pipeline/configuration/run-options.js";
import { resolveSendRequest } from "../pipeline/configuration/send-options.js";
import { checkReportDirectory, FIXES_MODULE_NAME } from "../pipeline/report/write-report.js";
import type { RunContext, RunObserver, RunProgress } from "../pipeline/run-observer.js";
import { configurationOf } from "./library-configuration.js";
import type {
  ExportEventsOptions,
  Progress,
  RunControl,
  SendEventsOptions,
  ValidateExportOptions,
  VerifyExportOptions,
} from "./library-options.js";
import type {
  ExportEventsResult,
  SendEventsResult,
  ValidateExportResult,
  VerifyExportResult,
} from "./results.js";

/**
 * Exports events to one directory per day, or resumes the export that `to` holds. Sources that
 * cannot be read make the outcome `failed`, after all others are done. Rejects with `UsageError`
 * for options that are not valid, and with `SwitchyardError` if the run cannot continue (disk full,
 * directory in use).
 */
export async function exportEvents(options: ExportEventsOptions): Promise<ExportEventsResult> {
  const configuration = await configurationOf(options, ["export"]);
  const request = resolveExportOptions(configuration);
  return controlRun(options, (context) => createEngine().runExport(request, context));
}

/**
 * Reads and maps inputs without exporting them, and returns a report of what an export would do.
 * Writes files only if `report` names a directory. Rejects like `exportEvents`.
 */
export async function validateExport(
  options: ValidateExportOptions,
): Promise<ValidateExportResult> {
  const configuration = await configurationOf(options, ["validate", "export", "send"]);
  const { reportDirectory, ...request } = resolveValidateRequest(configuration);
  checkAccepted(configuration.values.acceptFindings);
  const writes = options.report !== undefined;
  if (writes) await checkReportDirectory(reportDirectory);
  const { counted, ...result } = await controlRun(options, (context) =>
    createEngine().runValidate({ ...request, reportDirectory }, context),
  );
  const modulePath = path.join(reportDirectory, FIXES_MODULE_NAME);
  const report = await completeReport(counted, configuration.values, modulePath);
  const files =
    writes && result.outcome !== "interrupted"
      ? await writeReportFiles(reportDirectory, report)
      : {};
  return { ...result, ...files, report };
}

/**
 * Sends events to the event webhook of a service, or resumes the run with the same options: what
 * the service has acknowledged is not sent again. Rejects like `exportEvents`, and with
 * `SwitchyardError` if the service refuses all requests or gives no success for `giveUpAfter`
 * seconds.
 */
export async function sendEvents(options: SendEventsOptions): Promise<SendEventsResult> {
  const configuration = await configurationOf(options, ["send", "export"]);
  const { to, inputs } = options;
  const command = ["send", ...(typeof inputs === "string" ? [inputs] : inputs), "--to", to];
  const request = resolveSendRequest(configuration, command);
  const result = await controlRun(options, (context) => createEngine().runSend(request, context));
  const { outcome, runId, destination, manifest, manifestPath, failures } = result;
  const { tooManyRejects, alreadyDone, epochs, rowsRead, durationMs } = result;
  return {
    outcome,
    runId,
    destination,
    sent: result.sent,
    rows: manifest.rows,
    rejects: manifest.rejects,
    manifestPath,
    failures,
    tooManyRejects,
    alreadyDone,
    epochs,
    rowsRead,
    durationMs,
  };
}

/**
 * Reads an export back and compares it with its manifest. Differences are in the result. Rejects
 * with `SwitchyardError` if the manifest cannot be read.
 */
export async function verifyExport(
  directory: string,
  options: VerifyExportOptions = {},
): Promise<VerifyExportResult> {
  return control(options, (context) =>
    createEngine().verifyExport({ directory: path.resolve(directory), s3: {} }, context),
  );
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

async function control<Result>(
  { signal = new AbortController().signal, onProgress, onNote }: RunControl,
  work: (context: RunContext) => Promise<Result>,
): Promise<Result> {
  throwIfInterrupted(signal);
  return withProgress(onProgress, (observer) =>
    work({ signal, observer: { ...observer, note: (text) => onNote?.(text) } }),
  );
}

const PROGRESS_INTERVAL_MS = 500;

/** Runs `work` with an observer that reports progress twice a second, and once at the end. */
async function withProgress<Result>(
  onProgress: ((progress: Progress) => void) | undefined,
  work: (observer: Pick<RunObserver, "started">) => Promise<Result>,
): Promise<Result> {
  let current: (() => RunProgress) | undefined;
  const report = () => {
    if (current !== undefined) onProgress?.(progressOf(current()));
  };
  const timer = setInterval(report, PROGRESS_INTERVAL_MS);
  try {
    return await work({
      started(progress) {
        current = progress;
      },
    });
  } finally {
    clearInterval(timer);
    report();
  }
}

function progressOf({ phase, bytesDone, bytesTotal, rows, rejects }: RunProgress): Progress {
  return { phase: phase ?? "reading", bytesDone, bytesTotal, rows, rejects };
}
