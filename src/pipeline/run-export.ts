import { readFile } from "node:fs/promises";
import type { SwitchyardError } from "../base/errors.js";
import { version } from "../base/version.js";
import type { ReaderOptions } from "../readers/reader.js";
import type { Source, SourceRange } from "../readers/source.js";
import { writeDurably } from "./durable-file.js";
import type { ExportResult, RunOutcome } from "./export-result.js";
import { throwIfInterrupted } from "./interruption.js";
import { type Layout, layoutOf } from "./layout.js";
import { Ledger } from "./ledger.js";
import { type Lock, takeLock } from "./lock.js";
import type { Manifest, RowCounts, SourceFailure } from "./manifest.js";
import { foldManifest, type ManifestFacts } from "./manifest-fold.js";
import type { ExportOptions, MaxRejects } from "./options.js";
import { removeOutput } from "./output-directory.js";
import { asOutput } from "./output-error.js";
import type { Split } from "./plan.js";
import { type PoolProgress, SplitPool } from "./pool.js";
import type { RunContext, RunProgress } from "./progress.js";
import { type RecordedOptions, recordOptions } from "./recorded-options.js";
import type { RunFacts } from "./resume.js";
import { type StartedRun, startRun } from "./start-run.js";
import { budgetThreads, type ThreadBudget } from "./thread-count.js";

const DAY_MS = 86_400_000;

/** What the inputs turned out to hold. */
export interface DiscoveredInputs {
  readonly sources: readonly Source[];
  /** Inputs of which not even the beginning can be read. */
  readonly failures: readonly { readonly name: string; readonly error: SwitchyardError }[];
}

/** What an export takes from the rooms beside the engine and from the world. */
export interface ExportOutside {
  discover(options: ExportOptions, signal: AbortSignal): Promise<DiscoveredInputs>;
  planRanges(
    source: Source,
    splitBytes: number,
    options: ReaderOptions,
  ): Promise<readonly SourceRange[]>;
  /** Compiled entry file of the worker threads. */
  readonly workerEntry: URL;
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

/**
 * Runs an export from its inputs to its manifest, or takes up the one that the output directory
 * holds. Sources that fail end it as `failed`, after all others are done. Throws `UsageError` where it
 * cannot begin, and `SwitchyardError` where it cannot go on (disk full).
 */
export async function runExport(
  options: ExportOptions,
  { signal, observer }: RunContext,
  outside: ExportOutside,
): Promise<ExportResult> {
  const startedMs = outside.now();
  const budget = budgetThreads(options);
  const recorded = await recordOptions(options);
  const inputs = await outside.discover(options, signal);
  throwIfInterrupted(signal);
  const layout = layoutOf(options.outputDirectory, options.dataset);
  const lock = await asOutput(layout.lockFile, () => takeLock(layout.lockFile));
  try {
    const run = await startRun(layout, new Ledger(layout), factsOf(inputs, recorded), {
      splitBytes: options.splitBytes,
      fresh: options.fresh,
      now: new Date(startedMs),
      maxTimeMs: resolveMaxTime(options.maxTimeMs, startedMs),
      signal,
      planRanges: (source, splitBytes) =>
        outside.planRanges(source, splitBytes, readerOptionsOf(options, layout, signal)),
    });
    const earlier = await readFinished(layout, run);
    if (earlier !== undefined) return describe("done", earlier, options, layout, undefined);
    const records = new Map(run.finished);
    const pool = new SplitPool(unfinishedSplits(run), {
      entry: outside.workerEntry,
      setup: { options, maxTimeMs: run.record.maxTimeMs },
      ...budget,
      signal,
      onRecord(record) {
        records.set(record.id, record);
        for (const failure of record.failures) observer.sourceFailed?.(failure);
      },
    });
    for (const text of notesOf(options, budget, lock, run)) observer.note?.(text);
    for (const failure of run.record.unreadable) observer.sourceFailed?.(failure);
    observer.started?.(() => progressOf(run, pool));
    const end = await pool.run();
    // A worker that was ended while it committed may have left parts that no record speaks of.
    if (end === "interrupted") await removeOutput(layout, (id) => records.has(id));
    const manifest = foldManifest(manifestFacts(run, startedMs, outside.now()), [
      ...records.values(),
    ]);
    await writeManifest(layout, manifest);
    return describe(end, manifest, options, layout, pool.progress());
  } finally {
    await lock.release();
  }
}

function readerOptionsOf(
  { rowBytesMax, ratioMax }: ExportOptions,
  { temporaryDirectory }: Layout,
  signal: AbortSignal,
): ReaderOptions {
  return { rowBytesMax, ratioMax, temporaryDirectory, signal };
}

function factsOf({ sources, failures }: DiscoveredInputs, options: RecordedOptions): RunFacts {
  const unreadable = failures.map(
    ({ name, error: { code, message } }): SourceFailure => ({ source: name, code, message }),
  );
  return { version, options, sources, unreadable };
}

/** The end of the UTC day after the one that the run started in. */
function resolveMaxTime(maxTimeMs: number | "tomorrow", startedMs: number): number {
  if (maxTimeMs !== "tomorrow") return maxTimeMs;
  return (Math.floor(startedMs / DAY_MS) + 2) * DAY_MS;
}

function unfinishedSplits({ record, finished }: StartedRun): readonly Split[] {
  return record.plan.splits.filter(({ id }) => !finished.has(id));
}

/** The manifest of an earlier run, where that run left nothing to do. */
async function readFinished(layout: Layout, run: StartedRun): Promise<Manifest | undefined> {
  if (run.finished.size < run.record.plan.splits.length) return undefined;
  try {
    const manifest = JSON.parse(await readFile(layout.manifestFile, "utf8")) as Manifest;
    return manifest.complete ? manifest : undefined;
  } catch {
    // Missing after a kill, or damaged: it is made again from the ledger.
    return undefined;
  }
}

function notesOf(
  options: ExportOptions,
  budget: ThreadBudget,
  lock: Lock,
  { record, finished }: StartedRun,
): readonly string[] {
  const dead = lock.takenOverFrom;
  const { splits } = record.plan;
  return [
    ...(dead === undefined ? [] : [`process ${dead.pid} had died in this directory`]),
    ...(record.resumes === 0
      ? []
      : [`going on: ${finished.size} of ${splits.length} splits are done`]),
    ...(budget.threads >= options.threads
      ? []
      : [`threads: ${budget.threads} instead of ${options.threads}, more need more --memory`]),
  ];
}

function progressOf({ record, finished }: StartedRun, pool: SplitPool): RunProgress {
  const { splits } = record.plan;
  const bytesTotal = splits.reduce((sum, { bytes }) => sum + bytes, 0);
  const bytesResumed = splits.reduce(
    (sum, { id, bytes }) => (finished.has(id) ? sum + bytes : sum),
    0,
  );
  const { threads, bytes, rows, rejects, splits: splitsDone } = pool.progress();
  return {
    threads,
    bytesTotal,
    bytesDone: bytesResumed + bytes,
    bytesResumed,
    rows,
    rejects,
    splitsTotal: splits.length,
    splitsDone: finished.size + splitsDone,
  };
}

function manifestFacts({ record }: StartedRun, startedMs: number, endedMs: number): ManifestFacts {
  return {
    version: record.version,
    options: record.options,
    plan: record.plan,
    unreadable: record.unreadable,
    run: {
      startedAt: record.startedAt,
      endedAt: new Date(endedMs).toISOString(),
      durationMs: endedMs - startedMs,
      resumes: record.resumes,
    },
  };
}

async function writeManifest(layout: Layout, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await asOutput(layout.manifestFile, () =>
    writeDurably(layout.manifestFile, text, layout.temporaryDirectory),
  );
}

/** `work` is what this run did; undefined where there was nothing to do. */
function describe(
  end: "done" | "interrupted",
  manifest: Manifest,
  options: ExportOptions,
  layout: Layout,
  work: PoolProgress | undefined,
): ExportResult {
  const { failures, rows, run } = manifest;
  const outcome: RunOutcome = end === "done" && failures.length > 0 ? "failed" : end;
  return {
    outcome,
    manifest,
    manifestPath: layout.manifestFile,
    failures,
    tooManyRejects: exceeds(rows, options.maxRejects),
    alreadyDone: work === undefined,
    rowsRead: work?.rows ?? 0,
    bytesRead: work?.bytes ?? 0,
    durationMs: work === undefined ? 0 : run.durationMs,
  };
}

function exceeds({ read, rejected }: RowCounts, maxRejects: MaxRejects): boolean {
  return rejected > ("rows" in maxRejects ? maxRejects.rows : maxRejects.share * read);
}
