import { sep } from "node:path";
import { DAY_MS } from "../base/day.js";
import { SwitchyardError, UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { nameOptions, option } from "../base/option-text.js";
import { builtFile, version } from "../base/package-files.js";
import { readEpochs } from "../ledger/ledger.js";
import type { SourceFailure } from "../ledger/manifest.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import type { RunFacts } from "../ledger/resume.js";
import type { RunContext } from "../ledger/run-observer.js";
import { matchEpochs } from "../ledger/source-epochs.js";
import type { ExportOptions, RunOptions } from "../options/options.js";
import type { Layout } from "../output/layout.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { OpenedIdentity } from "./open-identity.js";
import { asFatal, budgetThreads, raiseThreadLimits, WorkerPool } from "./pool/worker-pool.js";
import type { DiscoveredInputs, RunSpec } from "./run-spec.js";
import { loadMapperOptions } from "./run-tools.js";
import { type StartedRun, startRun } from "./start-run.js";

/** Creates the worker pool of a run; its threads start when they are needed. */
export function createPool(
  { options, sink: { entry } }: RunSpec,
  { signal, observer }: RunContext,
): WorkerPool {
  const budget = budgetThreads(options);
  if (budget.threads < options.threads) {
    observer.note?.(
      `using ${budget.threads} of ${options.threads} threads (${option("memory")} is too small for more); raise ${option("memory")}`,
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
    openIdentity: () => openIdentityOf(options, { signal, observer }),
  });
}

/** Opens the table of identities of a run; undefined if it has none. The caller closes it. */
export async function openIdentityOf(
  options: RunOptions,
  { signal, observer }: RunContext,
): Promise<OpenedIdentity | undefined> {
  const { identityPath } = options;
  if (identityPath === undefined) return undefined;
  const { openIdentity } = await import("./open-identity.js");
  const opened = await openIdentity({ ...options, identityPath }, signal);
  observer.note?.(nameOptions(opened.note, options.naming));
  return opened;
}

/** Returns the options of a mapper in this thread, and what closes their table of identities. */
export async function openMapperOptions(options: RunOptions, signal: AbortSignal) {
  const opened = await openIdentityOf(options, { signal, observer: {} });
  const run = { ...options, ...omitUndefined({ identity: opened?.identity }) };
  const mapper = await loadMapperOptions(run, resolveMaxTime(options.maxTimeMs, Date.now()));
  return { mapper, close: async () => opened?.close() };
}

/** Throws what would end a run as soon as its worker threads start, for a check without a run. */
export async function checkStart(options: RunOptions, signal: AbortSignal): Promise<void> {
  // Reads the transform, which the record of a run has a digest of.
  await recordRunOptions(options);
  const entry = "format" in options ? "split-worker.js" : "count-worker.js";
  await refuseEarly(options, builtFile(entry), signal);
}

/**
 * Throws what would end the run as soon as its workers start: too little memory, a transform that
 * cannot be loaded, a codec that this Node.js does not have.
 */
async function refuseEarly(options: RunOptions, entry: URL, signal: AbortSignal): Promise<void> {
  const budget = budgetThreads(options);
  const { transformPath, compression, identityPath } = options as Partial<ExportOptions>;
  if (identityPath !== undefined) {
    const { checkIdentity } = await import("./open-identity.js");
    await checkIdentity({ ...options, identityPath }, signal);
  }
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
  { options, read, output: { layout } }: RunSpec,
  signal: AbortSignal,
): Promise<DiscoveredInputs> {
  try {
    return await read.discover(options, signal);
  } catch (error) {
    if (!(error instanceof UsageError && error.code === "input_not_found") || options.fresh)
      throw error;
    const saved = await readEpochs(layout);
    const paths = saved.flatMap(({ record }) => record.plan.sources.map((source) => source.path));
    const holds = (path: string) => paths.some((one) => one === path || one.startsWith(path + sep));
    return read.discover(options, signal, holds);
  }
}

/** Resumes the epochs in the ledger and plans a new one. */
export async function planRun(
  { options, recorded, read, sink, output }: RunSpec,
  inputs: DiscoveredInputs,
  signal: AbortSignal,
  startedMs: number,
): Promise<StartedRun> {
  const { isFinal = false, entry } = sink;
  const { layout, files, finishesOnly = false } = output;
  const { splitBytes, fresh, maxTimeMs, limit: rows } = options;
  const readerOptions = readerOptionsOf(options, layout, signal);
  return startRun(files, layout, factsOf(inputs, recorded), {
    splitBytes,
    fresh,
    isFinal,
    finishesOnly,
    signal,
    now: new Date(startedMs),
    maxTimeMs: resolveMaxTime(maxTimeMs, startedMs),
    ...(rows === undefined
      ? {}
      : { limit: { rows, openCounter: () => read.openCounter(options, readerOptions) } }),
    ...omitUndefined({ isAlone: read.isAlone }),
    beforeChange: () => refuseEarly(options, entry, signal),
    planRanges: (source, bytes) => read.planRanges(source, bytes, readerOptions),
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
export async function requireSplits(
  { recorded, output: { layout } }: RunSpec,
  inputs: DiscoveredInputs,
): Promise<void> {
  const { saved, fresh } = await matchEpochs(layout, factsOf(inputs, recorded));
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
    `${outputDirectory}: ${what}; run each shard to its end, or leave out ${option("shard")} finish to read them here`,
  );
}
