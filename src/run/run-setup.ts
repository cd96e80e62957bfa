import { sep } from "node:path";
import { DAY_MS } from "../base/day.js";
import { SwitchyardError, UsageError } from "../base/errors.js";
import { version } from "../base/package-files.js";
import { readEpochs, readHeads } from "../ledger/ledger.js";
import type { RunAccounts, SourceFailure } from "../ledger/manifest.js";
import type { RunFacts } from "../ledger/resume.js";
import type { RunContext } from "../ledger/run-observer.js";
import { matchEpochs } from "../ledger/source-epochs.js";
import type { ExportOptions, RunOptions } from "../options/options.js";
import { type Layout, layoutOf } from "../output/layout.js";
import type { ReaderOptions } from "../sources/read-options.js";
import { budgetThreads } from "./pool/thread-count.js";
import { asFatal, raiseThreadLimits, WorkerPool } from "./pool/worker-pool.js";
import type { DiscoveredInputs, RunJob, RunOutside } from "./run-job.js";
import { type StartedRun, startRun } from "./start-run.js";

/** Creates the worker pool of a run; its threads start when they are needed. */
export function createPool(
  { options }: RunJob<RunAccounts>,
  { signal, observer }: RunContext,
  { workerEntry: entry }: RunOutside,
): WorkerPool {
  const budget = budgetThreads(options);
  if (budget.threads < options.threads) {
    observer.note?.(
      `using ${budget.threads} of ${options.threads} threads (--memory is too small for more); raise --memory`,
    );
  }
  return new WorkerPool({
    entry,
    signal,
    ...budget,
    fewer: (started, wanted) =>
      observer.note?.(
        `started ${started} of ${wanted} threads (system limit); ${raiseThreadLimits}`,
      ),
  });
}

/**
 * Throws what would end the run as soon as its workers start: too little memory, a transform that
 * cannot be loaded, a codec that this Node.js does not have.
 */
export async function refuseEarly(
  options: RunOptions,
  { workerEntry: entry }: Pick<RunOutside, "workerEntry">,
  signal: AbortSignal,
): Promise<void> {
  const budget = budgetThreads(options);
  const { transformPath, compression } = options as Partial<ExportOptions>;
  if (transformPath === undefined && compression !== "zstd") return;
  // In a thread: the module of a transform may keep its process alive.
  const pool = new WorkerPool({ entry, signal, ...budget, threads: 1 });
  pool.begin({ options, reads: "events", maxTimeMs: 0, epoch: 0, splits: 1 });
  try {
    await pool.take();
  } catch (error) {
    throw asFatal("loaded the transform", error);
  } finally {
    await pool.end();
  }
}

/** Finds the inputs; those that an earlier run has planned may be gone. */
export async function discoverInputs(
  { options, layout }: RunJob<RunAccounts>,
  outside: RunOutside,
  signal: AbortSignal,
): Promise<DiscoveredInputs> {
  try {
    return await outside.discover(options, signal);
  } catch (error) {
    if (!(error instanceof UsageError && error.code === "input_not_found") || options.fresh)
      throw error;
    const saved = await readEpochs(layout);
    const paths = saved.flatMap(({ record }) => record.plan.sources.map((source) => source.path));
    const holds = (path: string) => paths.some((one) => one === path || one.startsWith(path + sep));
    return outside.discover(options, signal, holds);
  }
}

/** The time, the readers and the signal that planning needs. */
export interface PlanningContext {
  readonly outside: RunOutside;
  readonly signal: AbortSignal;
  readonly startedMs: number;
}

/** Resumes the epochs in the ledger and plans a new one. */
export async function planRun(
  job: RunJob<RunAccounts>,
  inputs: DiscoveredInputs,
  { outside, signal, startedMs }: PlanningContext,
): Promise<StartedRun> {
  const { options, recorded, layout, isFinal = false, finishesOnly = false } = job;
  const { splitBytes, fresh, maxTimeMs, limit: rows } = options;
  const readerOptions = readerOptionsOf(options, layout, signal);
  return startRun(layout, factsOf(inputs, recorded), {
    splitBytes,
    fresh,
    isFinal,
    finishesOnly,
    signal,
    now: new Date(startedMs),
    maxTimeMs: resolveMaxTime(maxTimeMs, startedMs),
    ...(rows === undefined
      ? {}
      : { limit: { rows, openCounter: () => outside.openCounter(options, readerOptions) } }),
    beforeChange: () => refuseEarly(options, outside, signal),
    planRanges: (source, bytes) => outside.planRanges(source, bytes, readerOptions),
  });
}

/** Returns the options of the readers that planning uses. */
export function readerOptionsOf(
  { rowBytesMax, ratioMax, s3 }: RunOptions,
  { temporaryDirectory }: Layout,
  signal: AbortSignal,
): ReaderOptions {
  return { rowBytesMax, ratioMax, s3, temporaryDirectory, signal };
}

/** Returns the facts that a saved run is compared with. */
export function factsOf(
  { sources, failures }: DiscoveredInputs,
  options: Readonly<Record<string, unknown>>,
): RunFacts {
  const unreadable = failures.map(
    ({ name, code, message }): SourceFailure => ({ source: name, code, message }),
  );
  return { version, options, sources, unreadable };
}

/** Returns `tomorrow` as a time: the end of the UTC day after the day that the run started on. */
export function resolveMaxTime(maxTimeMs: number | "tomorrow", startedMs: number): number {
  if (maxTimeMs !== "tomorrow") return maxTimeMs;
  return (Math.floor(startedMs / DAY_MS) + 2) * DAY_MS;
}

/** Throws `splits_missing` unless an earlier run has planned all inputs and each split has a record. */
export async function requireSplits(layout: Layout, facts: RunFacts): Promise<void> {
  const { saved, fresh } = await matchEpochs(layout, facts);
  if (saved.length === 0 || fresh.sources.length > 0) {
    const what = saved.length === 0 ? "all inputs" : `${fresh.sources.length} inputs`;
    throw missing(layout, `${what} are not planned yet`);
  }
  let splits = 0;
  let done = 0;
  for (const { ledger, record } of saved) {
    const recorded = new Set((await ledger.readSplits()).map(({ id }) => id));
    splits += record.plan.splits.length;
    done += record.plan.splits.filter(({ id }) => recorded.has(id)).length;
  }
  if (done < splits) throw missing(layout, `${splits - done} of ${splits} splits are not read yet`);
}

function missing({ outputDirectory }: Layout, what: string): SwitchyardError {
  return new SwitchyardError(
    "splits_missing",
    `${outputDirectory}: ${what}; run each shard to its end, or leave out --finish to read them here`,
  );
}

/**
 * Returns the inputs that the export in an output directory has not begun to read; undefined if there
 * is no export. Throws what `discover` and `readEpochs` throw.
 */
export async function findNewInputs<Inputs extends DiscoveredInputs>(
  { outputDirectory, dataset, fresh }: Pick<ExportOptions, "outputDirectory" | "dataset" | "fresh">,
  discover: () => Promise<Inputs>,
): Promise<Inputs | undefined> {
  const layout = layoutOf(outputDirectory, dataset);
  if (fresh || (await readHeads(layout)).length === 0) return undefined;
  const inputs = await discover();
  const { fresh: added } = await matchEpochs(layout, factsOf(inputs, {}));
  const failed = new Set(added.unreadable.map(({ source }) => source));
  const failures = inputs.failures.filter(({ name }) => failed.has(name));
  return { ...inputs, sources: added.sources, failures };
}
