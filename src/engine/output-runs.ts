import { builtFile } from "../base/package-files.js";
import type { WorkerResult } from "../distributed/queue-worker.js";
import type { QueuedOutput } from "../distributed/queued-output.js";
import {
  runShard,
  type ShardOptions,
  type ShardResult,
  sharedJob,
} from "../distributed/run-shard.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { ExportOptions, SendOptions, SendRequest, WorkerOptions } from "../options/options.js";
import { directoryOutput } from "../output/directory-output.js";
import { lockToPlan } from "../output/shared-locks.js";
import { type ExportResult, runExport } from "../run/run-export.js";
import type { RunOutside, RunPublisher } from "../run/run-job.js";
import { type PreparedSend, runSend } from "../run/run-send.js";
import { type RunResult, runSplits } from "../run/run-splits.js";
import type { SendManifest, SendResult } from "../run/send-result.js";
import { isObjectUrl } from "../store/object-url.js";
import { watchStore } from "./store-watch.js";

/** Runs an export to a directory or a store, with the workers of a queue if it names one. */
export function runExportTo(
  options: ExportOptions,
  context: RunContext,
  outside: RunOutside,
): Promise<ExportResult> {
  const { queue } = options;
  return watchStore(context, () =>
    queue === undefined
      ? runExportHere(options, context, outside)
      : runQueuedExport(options, queue, context, outside),
  );
}

async function runExportHere(
  options: ExportOptions,
  context: RunContext,
  outside: RunOutside,
): Promise<ExportResult> {
  if (!isObjectUrl(options.outputDirectory)) return runExport(options, context, outside);
  await settleStore(options, context);
  const { runInStore } = await import("../distributed/run-in-store.js");
  return runInStore(options, context, (local, inside, publisher) =>
    runExport(local, inside, outside, publisher),
  );
}

async function runQueuedExport(
  options: ExportOptions,
  queue: string,
  context: RunContext,
  outside: RunOutside,
): Promise<ExportResult> {
  const { runCoordinator } = await import("../distributed/run-coordinator.js");
  const finishing = { ...options, finish: true, fresh: false };
  return runCoordinator(options, context, {
    ...outside,
    queue,
    output: await openOutputOfQueue(options.outputDirectory, options),
    jobOf: sharedJob,
    finish: (inputs) =>
      runExportHere(finishing, context, { ...outside, discover: async () => inputs }),
  });
}

/** In a directory, the run does this itself. */
async function settleStore(
  { outputDirectory: directory, s3, unsafeLock }: ExportOptions,
  { signal }: RunContext,
): Promise<void> {
  const { settleCompaction } = await import("../check/compact/settle-compaction.js");
  await settleCompaction({ directory, s3, unsafeLock, signal });
}

/** Runs a shard of an export to a directory that all shards see, or to a store. */
export function runShardTo(
  options: ShardOptions,
  context: RunContext,
  outside: RunOutside,
): Promise<ShardResult> {
  return watchStore(context, async () => {
    if (isObjectUrl(options.outputDirectory)) {
      await settleStore(options, context);
      const { shareStore } = await import("../distributed/run-in-store.js");
      const result = await shareStore(options, options.shard, context, (local, inside, output) =>
        runShard(local, inside, outside, output),
      );
      return { ...result, outputDirectory: options.outputDirectory.replace(/\/+$/, "") };
    }
    const output = directoryOutput(options.outputDirectory);
    return runShard(options, context, outside, {
      plan: (...planning) => lockToPlan(output, ...planning),
    });
  });
}

/** Reads the splits of exports from a queue, until the signal is aborted. */
export function runQueueWorker(
  options: WorkerOptions,
  context: RunContext,
  outside: RunOutside,
): Promise<WorkerResult> {
  return watchStore(context, async () => {
    const { runWorker } = await import("../distributed/queue-worker.js");
    const sendEntry = builtFile("send-worker.js");
    return runWorker(options, context, {
      ...outside,
      openQueuedOutput: openOutputOfQueue,
      sendEntry,
    });
  });
}

/** Opens an output that the workers of a queue write to: a directory, or an address in a store. */
async function openOutputOfQueue(
  directory: string,
  { s3, unsafeLock }: Pick<WorkerOptions, "s3" | "unsafeLock">,
): Promise<QueuedOutput> {
  const { openQueuedOutput } = await import("../distributed/queued-output.js");
  return openQueuedOutput({ directory, s3, unsafeLock });
}

/** Sends events, with the workers of a queue if the request names one. */
export function runSendTo(
  request: SendRequest,
  context: RunContext,
  outside: RunOutside,
): Promise<SendResult> {
  const { queue } = request;
  return watchStore(context, () =>
    runSend(request, context.signal, (prepared) =>
      queue === undefined
        ? runSplits(prepared.jobIn(prepared.options.outputDirectory), context, outside)
        : runQueuedSend(prepared, queue, context, outside),
    ),
  );
}

async function runQueuedSend(
  { options, jobIn }: PreparedSend,
  queue: string,
  context: RunContext,
  outside: RunOutside,
): Promise<RunResult<SendManifest>> {
  const { runCoordinator } = await import("../distributed/run-coordinator.js");
  const { outputDirectory } = options;
  return runCoordinator<SendOptions, RunResult<SendManifest>>(options, context, {
    ...outside,
    queue,
    output: await openOutputOfQueue(outputDirectory, options),
    jobOf: async (local, publisher) => jobIn(local.outputDirectory, publisher),
    async finish(inputs) {
      const found = { ...outside, discover: async () => inputs };
      const finish = (directory: string, inside: RunContext, publisher?: RunPublisher) => {
        const job = jobIn(directory, publisher);
        const finishing = { ...job, options: { ...job.options, fresh: false }, finishesOnly: true };
        return runSplits(finishing, inside, found);
      };
      if (!isObjectUrl(outputDirectory)) return finish(outputDirectory, context);
      const { runInStore } = await import("../distributed/run-in-store.js");
      return runInStore(options, context, (local, inside, publisher) =>
        finish(local.outputDirectory, inside, publisher),
      );
    },
  });
}
