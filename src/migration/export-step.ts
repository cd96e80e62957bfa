import { exitCodes, UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { runExitCode } from "../commands/run-exit-code.js";
import type { ShardResult } from "../distributed/run-shard.js";
import type { Configuration } from "../options/configuration.js";
import { STANDARD_OUTPUT } from "../options/options.js";
import { resolveExportOptions } from "../options/run-options.js";
import { formatShard } from "../plan/shard.js";
import { summarizeExport, summarizeShard } from "../report/run-summary.js";
import type { ExportResult } from "../run/export-spec.js";
import { requireFields, type StepContext, type StepReport } from "./step.js";

export async function runExportStep(
  configuration: Configuration,
  context: StepContext,
): Promise<StepReport> {
  if (configuration.values.to === STANDARD_OUTPUT) {
    const { runStreamStep } = await import("./stream-step.js");
    return runStreamStep(configuration, context);
  }
  const { runs, signal, observer, program, isMigration } = context;
  const options = resolveExportOptions(configuration);
  const { shard } = options;
  if (shard !== undefined) {
    if (isMigration) {
      throw new UsageError(
        "shard_unsupported",
        "The steps of migrate need the whole export: run `export --shard <i/n>` in each process, then `export --shard finish`, then migrate without --shard.",
      );
    }
    const result = await runs.shard({ ...options, shard }, { signal, observer });
    return reportShard(result, program);
  }
  const result = await runs.export(options, { signal, observer });
  const exitCode = runExitCode(result);
  const report = {
    exitCode,
    summary: summarizeExport(result, program),
    json: jsonOf(result, exitCode),
    results: { export: result },
    isIdle: result.alreadyDone && exitCode === exitCodes.done,
  };
  return requireFields(report, configuration, result.manifest.missingFields);
}

/** Omits days and files, which are in the manifest, because there can be very many. */
function jsonOf(result: ExportResult, exitCode: number) {
  const { outcome, manifest, manifestPath, ...run } = result;
  const { version, dataset, format, dayZone, totals, rows, rejects, notices } = manifest;
  const { missingFields = [], misplacedCommas, limit } = manifest;
  return {
    command: "export",
    exitCode,
    outcome,
    manifestPath,
    ...run,
    version,
    dataset,
    format,
    dayZone,
    totals,
    rows,
    ...omitUndefined({ limit }),
    rejects,
    notices,
    missingFields,
    ...omitUndefined({ misplacedCommas }),
  };
}

function reportShard(result: ShardResult, program: string): StepReport {
  const { outcome } = result;
  const exitCode = runExitCode({ outcome, tooManyRejects: false });
  const { shard, ...facts } = result;
  return {
    exitCode,
    summary: summarizeShard(result, program),
    json: { command: "export", exitCode, shard: formatShard(shard), ...facts },
    results: {},
  };
}
