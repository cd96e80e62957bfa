import { SwitchyardError, throwIfInterrupted, UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { sum } from "../base/sum.js";
import type { RowCounts, SourceFailure } from "../ledger/manifest.js";
import { ChangedError, type RunFacts } from "../ledger/resume.js";
import { foldFailures, foldRows } from "../ledger/run-accounts.js";
import type { RunContext, RunOutcome } from "../ledger/run-observer.js";
import { matchEpochs } from "../ledger/source-epochs.js";
import type { ExportOptions } from "../options/options.js";
import type { Layout } from "../output/layout.js";
import type { OutputFiles } from "../output/output-files.js";
import type { Planner, PlanningLock } from "../output/shared-locks.js";
import { isPlanChanged } from "../plan/change-plan.js";
import { type Shard, splitsOfShard } from "../plan/shard.js";
import { forgetOutdated } from "../run/dedupe/dedupe-epochs.js";
import { exportSpec } from "../run/export-spec.js";
import { readSplits, unfinishedSplits } from "../run/run-epoch.js";
import { createPool, discoverInputs, factsOf, planRun } from "../run/run-setup.js";
import type { DiscoveredInputs, RunSpec } from "../run/run-spec.js";
import { begunEpoch, readState, type StartedEpoch, type StartedRun } from "../run/start-run.js";
import type { StoreUsage } from "../store/store-usage.js";

/** The options of a shard of an export. */
export type ShardOptions = ExportOptions & { readonly shard: Shard };

/** The result of a shard. */
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

/** An output that several processes write to. */
export interface SharedOutput {
  /** As `lockToPlan`. */
  plan(planner: Planner, signal: AbortSignal, note: (text: string) => void): Promise<PlanningLock>;
  readonly files: OutputFiles;
}

/**
 * Reads the splits of one shard of an export that have no record. The first shard plans, the others
 * use its plan. The run that finishes the export merges and writes the manifest. Throws what `run`
 * throws, and what locks and joining throw.
 */
export async function readShard(
  { shard, ...options }: ShardOptions,
  context: RunContext,
  output: SharedOutput,
): Promise<ShardResult> {
  if (options.fresh) throw cannotStartOver(option("shard"), "removes what other shards write");
  const { signal, now = Date.now } = context;
  const startedMs = now();
  const spec = await exportSpec(options, output.files);
  const inputs = await discoverInputs(spec, signal);
  throwIfInterrupted(signal);
  const shared = { planner: shard, context, startedMs, output };
  const { epochs, result: lock } = await planShared(spec, inputs, shared, ({ lockShard }) =>
    lockShard(shard),
  );
  const pool = createPool(spec, context);
  const records = new Map(epochs.flatMap(({ finished }) => [...finished]));
  const works: { readonly rows: number; readonly bytes: number }[] = [];
  const own = new Set<string>();
  try {
    for (const epoch of epochs) {
      const splits = splitsOfShard(epoch.record.plan.splits, shard);
      for (const { id } of splits) own.add(id);
      if (unfinishedSplits(splits, epoch.finished).length === 0 || signal.aborted) continue;
      const { work } = await readSplits(spec, epoch, splits, { context, pool, records });
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
    durationMs: now() - startedMs,
  };
}

/** The process that plans, and the places that it plans for. */
interface SharedPlanning {
  readonly planner: Planner;
  readonly context: RunContext;
  readonly startedMs: number;
  readonly output: SharedOutput;
}

/** Plans a run that several processes read, or joins its plan, and calls `work` before others may plan. */
export async function planShared<Result>(
  spec: RunSpec,
  inputs: DiscoveredInputs,
  { planner, context, startedMs, output }: SharedPlanning,
  work: (planning: PlanningLock, epochs: readonly StartedEpoch[]) => Promise<Result>,
): Promise<{ readonly epochs: readonly StartedEpoch[]; readonly result: Result }> {
  const { options, recorded } = spec;
  const { layout, files } = spec.output;
  const { signal, observer } = context;
  const note = (text: string) => observer.note?.(text);
  const planning = await output.plan(planner, signal, note);
  try {
    let epochs: readonly StartedEpoch[];
    if (planning.isAlone) {
      const planned = await planAlone(spec, inputs, startedMs, context);
      epochs = planned.epochs;
      for (const text of planned.notes) note(text);
      if (planned.manifest === undefined) await files.save();
    } else {
      if (options.fresh) throw cannotStartOver("living workers", "removes what they write");
      epochs = await joinRun(layout, factsOf(inputs, recorded));
    }
    return { epochs, result: await work(planning, epochs) };
  } finally {
    await planning.release();
  }
}

/** Plans; with `dedupe`, reads the keys of all inputs too, and decides which events each split skips. */
async function planAlone(
  spec: RunSpec,
  inputs: DiscoveredInputs,
  startedMs: number,
  context: RunContext,
): Promise<StartedRun> {
  const { signal } = context;
  const planned = await planRun(spec, inputs, signal, startedMs);
  if (spec.options.dedupe === undefined || planned.manifest !== undefined) return planned;
  const pool = createPool(spec, context);
  try {
    const isOutdated = await forgetOutdated(spec, planned.epochs, context, pool);
    throwIfInterrupted(signal);
    return isOutdated ? await planRun(spec, inputs, signal, startedMs) : planned;
  } finally {
    await pool.end();
  }
}

/** Other processes read the splits now, so no finished split is read again. */
const readElsewhere = { isFinal: true, finishesOnly: false } as const;

/**
 * Returns the epochs of a run that other shards are reading. Removes nothing, because other shards
 * may be writing files without a record. Throws `run_changed` if the directory holds another run,
 * and `shards_differ` if the inputs differ.
 */
async function joinRun(layout: Layout, facts: RunFacts): Promise<readonly StartedEpoch[]> {
  const { saved, known, fresh } = await matchEpochs(layout, facts);
  const added = fresh.sources.length + fresh.unreadable.length;
  if (added > 0) throw otherInputs(layout, `${added} are new`);
  const epochs: StartedEpoch[] = [];
  for (const [index, { ledger, record }] of saved.entries()) {
    const inputs = { ...facts, ...known[index] };
    const { finished, changes } = await readState({ ledger, record }, inputs, readElsewhere);
    if (changes.refused.length > 0) throw new ChangedError(layout.outputDirectory, changes.refused);
    if (isPlanChanged(changes)) throw otherInputs(layout, "some have changed");
    await ledger.makeDirectories();
    epochs.push({ ...begunEpoch(ledger, record), finished, vanished: changes.vanished });
  }
  return epochs;
}

function otherInputs({ outputDirectory }: Layout, what: string): SwitchyardError {
  return new SwitchyardError(
    "shards_differ",
    `${outputDirectory}: the inputs of this shard differ from those of the running shards: ${what}; run it again when they have ended`,
  );
}

function cannotStartOver(other: string, why: string): UsageError {
  return new UsageError(
    "shard_unsupported",
    `${option("fresh")} ${why}, so it cannot be combined with ${other}: leave one of them out.`,
  );
}
