import { throwIfInterrupted, UsageError } from "../../base/errors.js";
import { asOutput } from "../../base/output-error.js";
import type { StoreUsage } from "../../store/store-usage.js";
import { layoutOf } from "../ledger/layout.js";
import { recordOptions } from "../ledger/recorded-options.js";
import type { RowCounts, RunAccounts, SourceFailure } from "../manifest.js";
import type { ExportOptions } from "../options.js";
import { foldFailures, foldRows, sum } from "../run-accounts.js";
import { readSplits, unfinishedSplits } from "../run-epoch.js";
import type { RunJob, RunOutside, RunPublisher } from "../run-job.js";
import type { RunContext, RunOutcome } from "../run-observer.js";
import { createPool, discoverInputs, factsOf, planRun } from "../run-setup.js";
import type { StartedEpoch } from "../start-run.js";
import { joinRun } from "./join-run.js";
import { type Shard, splitsOfShard } from "./shard.js";
import type { HeldLock, ShardLocks } from "./shard-locks.js";

/** The options of an export of which this process is a shard. */
export type ShardOptions = ExportOptions & { readonly shard: Shard };

/** The work of a shard that has ended. */
export interface ShardResult {
  readonly outcome: RunOutcome;
  readonly shard: Shard;
  readonly outputDirectory: string;
  /** Splits of the shard, those of them that are read, and the splits of all shards. */
  readonly splits: number;
  readonly splitsDone: number;
  readonly splitsOfAll: number;
  /** Rows of the splits of the shard that are read, those of earlier runs included. */
  readonly rows: RowCounts;
  readonly failures: readonly SourceFailure[];
  /** Rows and bytes (on disk) read by this run. */
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly durationMs: number;
  /** Requests to object stores; absent if there were none. */
  readonly store?: StoreUsage;
}

/** The shared output. */
export interface ShardOutput {
  readonly locks: ShardLocks;
  /** Absent if all processes see the output directory. */
  readonly publisher?: RunPublisher | undefined;
}

/**
 * Reads the splits of one shard of an export, as far as they have no record. The first shard plans, others
 * join it. Merging and the manifest are left to the run that finishes the export. Throws what `runExport`
 * throws, and what locks and joining throw.
 */
export async function runShard(
  { shard, ...options }: ShardOptions,
  context: RunContext,
  outside: RunOutside,
  { locks, publisher }: ShardOutput,
): Promise<ShardResult> {
  refuseUnsupported(options);
  const { signal, observer } = context;
  const startedMs = outside.now();
  const job = await jobOf(options, publisher);
  const { layout } = job;
  const inputs = await discoverInputs(job, outside, signal);
  throwIfInterrupted(signal);
  const note = (text: string) => observer.note?.(text);
  const planning = await asOutput(layout.lockFile, () => locks.plan(shard, signal, note));
  let epochs: readonly StartedEpoch[];
  let lock: HeldLock;
  try {
    if (planning.isAlone) {
      const planned = await planRun(job, inputs, { outside, signal, startedMs });
      epochs = planned.epochs;
      for (const text of planned.notes) note(text);
      if (planned.manifest === undefined) await publisher?.planned();
    } else {
      epochs = await joinRun(layout, factsOf(inputs, job.recorded));
    }
    lock = await asOutput(layout.lockFile, () => planning.lockShard());
  } finally {
    await planning.release();
  }
  const pool = createPool(job, context, outside);
  const records = new Map(epochs.flatMap(({ finished }) => [...finished]));
  const works: { readonly rows: number; readonly bytes: number }[] = [];
  const own = new Set<string>();
  try {
    for (const epoch of epochs) {
      const splits = splitsOfShard(epoch.record.plan.splits, shard);
      for (const { id } of splits) own.add(id);
      if (unfinishedSplits(splits, epoch.finished).length === 0 || signal.aborted) continue;
      const { work } = await readSplits(job, epoch, splits, { context, outside, pool, records });
      works.push(work);
    }
  } finally {
    await pool.end();
    await lock.release();
  }
  const done = [...own].flatMap((id) => records.get(id) ?? []);
  const unread = epochs.flatMap(({ record }) => record.unreadable);
  const bySource = new Map(unread.map((failure) => [failure.source, failure]));
  const failures = foldFailures({ unreadable: [...bySource.values()] }, done);
  const ended =
    done.length === own.size ? (failures.length > 0 ? "failed" : "done") : "interrupted";
  return {
    outcome: ended,
    shard,
    outputDirectory: options.outputDirectory,
    splits: own.size,
    splitsDone: done.length,
    splitsOfAll: sum(epochs, ({ record }) => record.plan.splits.length),
    rows: foldRows(done),
    failures,
    rowsRead: sum(works, ({ rows }) => rows),
    bytesRead: sum(works, ({ bytes }) => bytes),
    durationMs: outside.now() - startedMs,
  };
}

async function jobOf(
  options: ExportOptions,
  publisher: RunPublisher | undefined,
): Promise<RunJob<RunAccounts>> {
  return {
    options,
    recorded: await recordOptions(options),
    layout: layoutOf(options.outputDirectory, options.dataset),
    publisher,
    fold: () => Promise.reject(new Error("a shard writes no manifest")),
  };
}

function refuseUnsupported({ dedupe, fresh }: ExportOptions): void {
  const [option, why] =
    dedupe !== undefined
      ? ["--dedupe", "compares the keys of all inputs before it reads a split"]
      : ["--fresh", "removes what other shards write"];
  if (dedupe === undefined && !fresh) return;
  throw new UsageError(
    "shard_unsupported",
    `${option} ${why}, so that it cannot be combined with --shard: leave one of them out.`,
  );
}
