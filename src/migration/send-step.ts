import { exitCodes, SwitchyardError, throwIfInterrupted } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { runExitCode } from "../commands/run-exit-code.js";
import type { RowCounts } from "../ledger/manifest.js";
import type { Configuration } from "../options/configuration.js";
import type { MaxRejects } from "../options/options.js";
import { resolveRunOptions } from "../options/run-options.js";
import { resolveSendRequest } from "../options/send-options.js";
import { factsOf } from "../report/error-text.js";
import { summarizeSend, summarizeStoppedSend } from "../report/run-summary.js";
import { exceeds } from "../run/run.js";
import { type SendResult, type SendStanding, SendStopped } from "../run/send-result.js";
import { requireFields, type StepContext, type StepReport } from "./step.js";

/**
 * Sends events. A migration first checks the rows that the same inputs are known to reject. Throws
 * `rejects_exceeded` before sending if there are too many.
 */
export async function runSendStep(
  configuration: Configuration,
  context: StepContext,
): Promise<StepReport> {
  const { runs, signal, observer, commandLine, isMigration, program } = context;
  const request = resolveSendRequest(configuration, commandLine);
  if (isMigration) checkRejects(await countRows(configuration, context), request.maxRejects);
  try {
    const result = await runs.send(request, { signal, observer });
    const exitCode = runExitCode(result);
    const report = {
      exitCode,
      summary: summarizeSend(result, program),
      json: jsonOfResult(result, exitCode),
      results: { send: result },
    };
    return requireFields(report, configuration, result.manifest.missingFields);
  } catch (error) {
    if (!(error instanceof SendStopped)) throw error;
    const { exitCode, standing } = error;
    const json = { ...jsonOfStanding(standing, exitCode), error: factsOf(error) };
    return { exitCode, summary: summarizeStoppedSend(standing, program), json, error, results: {} };
  }
}

type ReadRows = Pick<RowCounts, "read" | "rejected">;

/** Returns the rows that an earlier step has counted, or counts them. */
async function countRows(
  configuration: Configuration,
  { runs, results, signal, observer }: StepContext,
): Promise<ReadRows> {
  const { report } = results.validate ?? {};
  const known =
    results.export?.manifest.rows ?? (report?.sample.share === 1 ? report.rows : undefined);
  if (known !== undefined) return known;
  const count = await runs.count(resolveRunOptions(configuration), { signal, observer });
  throwIfInterrupted(signal);
  return count.manifest.rows;
}

function checkRejects(rows: ReadRows, maxRejects: MaxRejects): void {
  if (!exceeds(rows, maxRejects)) return;
  const limit =
    "rows" in maxRejects ? maxRejects.rows : `${Number((maxRejects.share * 100).toPrecision(12))}%`;
  throw new SwitchyardError(
    "rejects_exceeded",
    `${rows.rejected} of ${rows.read} rows are rejected, and send accepts ${limit}; it was not started. ` +
      "Fix the mapping, or set maxRejects or --max-rejects",
    { exitCode: exitCodes.tooManyRejects },
  );
}

function jsonOfResult(result: SendResult, exitCode: number) {
  const { outcome, manifest, manifestPath, failures, tooManyRejects } = result;
  const { alreadyDone, epochs, rowsRead, durationMs } = result;
  const { version, rows, limit, rejects, notices } = manifest;
  const { missingFields = [], misplacedCommas } = manifest;
  return {
    ...jsonOfStanding(result, exitCode),
    outcome,
    manifestPath,
    failures,
    tooManyRejects,
    alreadyDone,
    epochs,
    rowsRead,
    durationMs,
    version,
    rows,
    ...omitUndefined({ limit }),
    rejects,
    notices,
    missingFields,
    ...omitUndefined({ misplacedCommas }),
  };
}

/** Returns the facts of a run, finished or not. `delivery` has the counts so far. */
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
