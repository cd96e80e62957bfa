import { runInPlace, shareInPlace } from "../distributed/run-place.js";
import type { ShardOptions, ShardResult } from "../distributed/run-shard.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { ExportOptions } from "../options/options.js";
import { type ExportResult, exportSpec } from "../run/export-spec.js";

/**
 * Exports to day directories, with the workers of a queue if the options name one, or resumes the export
 * that the output holds. If a source fails, the run ends as `failed` after all other sources are done.
 */
export async function runExport(
  options: ExportOptions,
  context: RunContext,
): Promise<ExportResult> {
  const { queue } = options;
  if (queue === undefined) return runInPlace(options, context, exportSpec);
  const { runCoordinator } = await import("../distributed/run-coordinator.js");
  return runCoordinator({ options, queue, specOf: exportSpec }, context);
}

/** Reads the splits of a shard of an export. */
export async function runShard(options: ShardOptions, context: RunContext): Promise<ShardResult> {
  const { readShard } = await import("../distributed/run-shard.js");
  const result = await shareInPlace(options, options.shard, context, readShard);
  return { ...result, outputDirectory: options.outputDirectory.replace(/\/+$/, "") };
}
