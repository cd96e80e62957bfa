import { layoutOf } from "../pipeline/ledger/layout.js";
import type { ExportOptions } from "../pipeline/options.js";
import { type ExportResult, runExport } from "../pipeline/run-export.js";
import type { RunOutside } from "../pipeline/run-job.js";
import type { RunContext } from "../pipeline/run-observer.js";
import { runShard, type ShardOptions, type ShardResult } from "../pipeline/shard/run-shard.js";
import { fileShardLocks } from "../pipeline/shard/shard-locks.js";
import { isObjectUrl } from "../store/object-url.js";
import { watchStore } from "./store-watch.js";

/** Runs an export to a directory or a store. */
export function runExportTo(
  options: ExportOptions,
  context: RunContext,
  outside: RunOutside,
): Promise<ExportResult> {
  return watchStore(context, async () => {
    if (!isObjectUrl(options.outputDirectory)) return runExport(options, context, outside);
    const { exportToStore } = await import("../pipeline/remote/export-to-store.js");
    return exportToStore(options, context, (local, inside, publisher) =>
      runExport(local, inside, outside, publisher),
    );
  });
}

/** Runs a shard of an export to a directory that all shards see, or to a store. */
export function runShardTo(
  options: ShardOptions,
  context: RunContext,
  outside: RunOutside,
): Promise<ShardResult> {
  return watchStore(context, async () => {
    if (isObjectUrl(options.outputDirectory)) {
      const { shardToStore } = await import("../pipeline/remote/shard-to-store.js");
      return shardToStore(options, context, (local, inside, output) =>
        runShard(local, inside, outside, output),
      );
    }
    const { lockFile } = layoutOf(options.outputDirectory, options.dataset);
    return runShard(options, context, outside, { locks: fileShardLocks(lockFile) });
  });
}
