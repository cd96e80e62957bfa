import { readFile } from "node:fs/promises";
import { DAY_MS } from "../base/day.js";
import { writeDurably } from "../base/durable-file.js";
import { throwIfInterrupted } from "../base/errors.js";
import { type LockFile, takeLockFile } from "../base/lock-file.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { asOutput } from "../base/output-error.js";
import { version } from "../base/package-files.js";
import { checkValue } from "../base/schema.js";
import type { ReaderOptions } from "../readers/reader.js";
import type { Source, SourceRange } from "../readers/source.js";
import type { Layout } from "./ledger/layout.js";
import { Ledger, type RunRecord } from "./ledger/ledger.js";
import type { SplitRecord } from "./ledger/ledger-records.js";
import { removeOutput, removeSpilled } from "./ledger/output-directory.js";
import type { RunFacts } from "./ledger/resume.js";
import {
  type RowCounts,
  type RunAccounts,
  runAccountsSchema,
  type SourceFailure,
} from "./manifest.js";
import { type MergedDays, mergeSpilled } from "./merge/merge-spilled.js";
import { isMerged } from "./merge/merge-state.js";
import type { MaxRejects, RunOptions } from "./options.js";
import type { Split } from "./plan.js";
import type { AccountFacts } from "./run-accounts.js";
import type { RunContext, RunOutcome, RunProgress } from "./run-observer.js";
import { type StartedRun, startRun } from "./start-run.js";
import { type SplitProgress, SplitRunner } from "./worker/split-runner.js";
import { budgetThreads, type ThreadBudget } from "./worker/thread-count.js";
import { raiseThreadLimits, WorkerPool } from "./worker/worker-pool.js";

/** The sources found in the inputs. */
export interface DiscoveredInputs {
  readonly sources: readonly Source[];
  /** Inputs whose first bytes cannot be read. */
  readonly failures: readonly {
    readonly name: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** Names of documents in archives, which are left out. */
  readonly documents?: readonly string[];
}

/** The readers and outside effects that a run needs. */
export interface RunOutside {
  discover(options: RunOptions, signal: AbortSignal): Promise<DiscoveredInputs>;
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

/** The specifics of one kind of run. */
export interface RunJob<Accounts extends RunAccounts> {
  /** Passed to the workers unchanged. */
  readonly options: RunOptions;
  /** The options that decide what is delivered. */
  readonly recorded: Readonly<Record<string, unknown>>;
  readonly layout: Layout;
  /** Set if the events of a finished split are out of reach: it is never read again. */
  readonly isFinal?: boolean;
  /** Called when the plan is made, before anything is read. */
  begun?(record: RunRecord): Promise<void>;
  /** Called as soon as a split is in the ledger. */
  committed?(record: SplitRecord): void;
  /** Makes the manifest from its arguments and the ledger alone. */
  fold(
    facts: AccountFacts,
    records: readonly SplitRecord[],
    merged: MergedDays,
  ): FoldedRun<Accounts> | Promise<FoldedRun<Accounts>>;
}

/** The files that a run writes at its end. */
export interface FoldedRun<Accounts extends RunAccounts> {
  readonly manifest: Accounts;
  /** Content of files that the manifest names, by absolute path; written before it. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The result of a run. Errors that end the whole run (disk full, usage) are thrown instead. */
export interface RunResult<Accounts extends RunAccounts> {
  readonly outcome: RunOutcome;
  readonly manifest: Accounts;
  /** Absolute path of the manifest. */
  readonly manifestPath: string;
  /** One for each source that could not be read to its end. */
  readonly failures: readonly SourceFailure[];
  /** More rows were rejected than `maxRejects` allows. */
  readonly tooManyRejects: boolean;
  /** The directory held the finished result of the same command; nothing was done. */
  readonly alreadyDone: boolean;
  /** Rows read by this run, without those of earlier runs. */
  readonly rowsRead: number;
  /** Bytes (on disk) read in this run. */
  readonly bytesRead: number;
  readonly durationMs: number;
}

interface EndedRun<Accounts extends RunAccounts> {
  readonly end: "done" | "interrupted";
  readonly manifest: Accounts;
  /** Work of this run; undefined if an earlier run had left nothing to do. */
  readonly work: SplitProgress | undefined;
}

/**
 * Runs from the inputs to the manifest, or resumes the run that the output directory holds:
 * discover, lock, plan, read all splits, merge, account. Throws `UsageError` if it cannot begin,
 * and `SwitchyardError` if it cannot continue (disk full).
 */
export async function runSplits<Accounts extends RunAccounts>(
  job: RunJob<Accounts>,
  { signal, observer }: RunContext,
  outside: RunOutside,
): Promise<RunResult<Accounts>> {
  const { options, layout, begun, committed } = job;
  const budget = budgetThreads(options);
  const startedMs = outside.now();
  const inputs = await outside.discover(options, signal);
  throwIfInterrupted(signal);
  const lock = await asOutput(layout.lockFile, () => takeLockFile(layout.lockFile));
  const ledger = new Ledger(layout);
  let pool: WorkerPool | undefined;
  try {
    const run = await planRun(job, inputs, { ledger, outside, signal, startedMs });
    const earlier = await readFinished<Accounts>(layout, run);
    if (earlier !== undefined) {
      await removeSpilled(layout);
      return resultOf(job, { end: "done", manifest: earlier, work: undefined });
    }
    await begun?.(run.record);
    const records = new Map(run.finished);
    const { maxTimeMs, plan } = run.record;
    const setup = { options, maxTimeMs, splits: plan.splits.length };
    pool = new WorkerPool({
      entry: outside.workerEntry,
      setup,
      signal,
      ...budget,
      fewer: (started, wanted) =>
        observer.note?.(
          `threads: ${started} instead of ${wanted}, as the system refuses more; for more, ${raiseThreadLimits}`,
        ),
    });
    const runner = new SplitRunner(unfinishedSplits(run), pool, (record) => {
      records.set(record.id, record);
      committed?.(record);
      for (const failure of record.failures) observer.sourceFailed?.(failure);
    });
    const { documents = [] } = inputs;
    if (documents.length > 0) observer.note?.(`skipped, as not data: ${listNames(documents)}`);
    for (const text of notesOf(options, budget, lock, run)) observer.note?.(text);
    for (const failure of run.record.unreadable) observer.sourceFailed?.(failure);
    observer.started?.(() => progressOf(run, runner, outside.now()));
    const end = await runner.run();
    // A worker that was terminated while it committed may have left parts that no record lists.
    if (end === "interrupted") await removeOutput(layout, (id) => records.has(id));
    const merged = await mergeSpilled({
      layout,
      ledger,
      end,
      observer,
      pool,
      records: [...records.values()],
      state: run.merges,
      mergeBytes: options.splitBytes,
    });
    const account = accountFacts(run, startedMs, outside.now());
    // Threads take 10 to 30 ms to give their memory back.
    const [manifest] = await Promise.all([
      writeAccounts(job, account, [...records.values()], merged),
      pool.end(),
    ]);
    return resultOf(job, { end: merged.end, manifest, work: runner.progress() });
  } finally {
    await pool?.end();
    await lock.release();
  }
}

interface PlanningContext {
  readonly ledger: Ledger;
  readonly outside: RunOutside;
  readonly signal: AbortSignal;
  readonly startedMs: number;
}

/** Plans a new run or resumes the one in the ledger. */
async function planRun(
  { options, recorded, layout, isFinal = false }: RunJob<RunAccounts>,
  inputs: DiscoveredInputs,
  { ledger, outside, signal, startedMs }: PlanningContext,
): Promise<StartedRun> {
  const { splitBytes, fresh, maxTimeMs } = options;
  const readerOptions = readerOptionsOf(options, layout, signal);
  return startRun(layout, ledger, factsOf(inputs, recorded), {
    splitBytes,
    fresh,
    isFinal,
    signal,
    now: new Date(startedMs),
    maxTimeMs: resolveMaxTime(maxTimeMs, startedMs),
    planRanges: (source, bytes) => outside.planRanges(source, bytes, readerOptions),
  });
}

function resultOf<Accounts extends RunAccounts>(
  { layout, options }: RunJob<Accounts>,
  { end, manifest, work }: EndedRun<Accounts>,
): RunResult<Accounts> {
  const { failures, rows, run } = manifest;
  return {
    // Failed sources do not end a run.
    outcome: end === "done" && failures.length > 0 ? "failed" : end,
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

/** Returns true if more rows were rejected than allowed. */
export function exceeds(
  { read, rejected }: Pick<RowCounts, "read" | "rejected">,
  maxRejects: MaxRejects,
): boolean {
  return rejected > ("rows" in maxRejects ? maxRejects.rows : maxRejects.share * read);
}

function readerOptionsOf(
  { rowBytesMax, ratioMax }: RunOptions,
  { temporaryDirectory }: Layout,
  signal: AbortSignal,
): ReaderOptions {
  return { rowBytesMax, ratioMax, temporaryDirectory, signal };
}

function factsOf(
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

function unfinishedSplits({ record, finished }: StartedRun): readonly Split[] {
  return record.plan.splits.filter(({ id }) => !finished.has(id));
}

/** Returns the manifest of an earlier run if that run left nothing to do. */
async function readFinished<Accounts extends RunAccounts>(
  layout: Layout,
  run: StartedRun,
): Promise<Accounts | undefined> {
  const { finished, merges } = run;
  if (finished.size < run.record.plan.splits.length) return undefined;
  if (!isMerged(merges, [...finished.values()])) return undefined;
  try {
    const manifest: unknown = JSON.parse(await readFile(layout.manifestFile, "utf8"));
    const { value } = checkValue(runAccountsSchema, manifest);
    return value?.complete === true ? (manifest as Accounts) : undefined;
  } catch {
    // Missing after a kill, or damaged: the ledger has all that is needed to write it again.
    return undefined;
  }
}

function notesOf(
  options: RunOptions,
  budget: ThreadBudget,
  lock: LockFile,
  { record, finished, lost }: StartedRun,
): readonly string[] {
  const dead = lock.takenOverFrom;
  const { splits } = record.plan;
  return [
    ...(dead === undefined ? [] : [`process ${dead.pid} died in this directory`]),
    ...(record.resumes === 0
      ? []
      : [`resumed: ${finished.size} of ${splits.length} splits are done`]),
    ...(lost === 0
      ? []
      : [`${formatSplits(lost)} read again, because files of theirs are missing or damaged`]),
    ...(budget.threads >= options.threads
      ? []
      : [`threads: ${budget.threads} instead of ${options.threads}; raise --memory for more`]),
  ];
}

const NAMES_SHOWN = 5;

function listNames(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : "";
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more}`;
}

function formatSplits(count: number): string {
  return count === 1 ? "1 split is" : `${count} splits are`;
}

function progressOf(
  { record, finished }: StartedRun,
  runner: SplitRunner,
  nowMs: number,
): RunProgress {
  const { splits } = record.plan;
  const bytesTotal = splits.reduce((sum, { bytes }) => sum + bytes, 0);
  const bytesResumed = splits.reduce(
    (sum, { id, bytes }) => (finished.has(id) ? sum + bytes : sum),
    0,
  );
  const { bytes, splits: splitsDone, waiting, ...work } = runner.progress();
  const wait = waiting && { ...waiting, leftMs: Math.max(0, waiting.untilMs - nowMs) };
  return {
    ...work,
    ...omitUndefined({ waiting: wait }),
    bytesTotal,
    bytesDone: bytesResumed + bytes,
    splitsTotal: splits.length,
    splitsDone: finished.size + splitsDone,
  };
}

function accountFacts({ record }: StartedRun, startedMs: number, endedMs: number): AccountFacts {
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

async function writeAccounts<Accounts extends RunAccounts>(
  { layout, fold }: RunJob<Accounts>,
  facts: AccountFacts,
  records: readonly SplitRecord[],
  merged: MergedDays,
): Promise<Accounts> {
  const folded = await fold(facts, records, merged);
  await writeManifest(layout, folded);
  if (folded.manifest.complete) await removeSpilled(layout);
  return folded.manifest;
}

async function writeManifest(
  { manifestFile, temporaryDirectory }: Layout,
  { manifest, files = {} }: FoldedRun<RunAccounts>,
): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  // The manifest is last: if it exists, so does everything that it names.
  for (const [path, content] of [...Object.entries(files), [manifestFile, text] as const]) {
    await asOutput(path, () => writeDurably(path, content, { temporaryDirectory }));
  }
}
