import { throwIfInterrupted } from "../base/errors.js";
import { withFrugalHeap } from "../base/frugal-heap.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import { removeSpilled } from "../ledger/apply-actions.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { RowCounts, RunAccounts, SourceFailure } from "../ledger/manifest.js";
import { writeInputs, writeManifest } from "../ledger/manifest-file.js";
import { type AccountFacts, foldFailures } from "../ledger/run-accounts.js";
import type { RunContext, RunOutcome } from "../ledger/run-observer.js";
import type { MaxRejects } from "../options/options.js";
import { directoryOutput } from "../output/directory-output.js";
import { LOCK_PATH } from "../output/layout.js";
import type { HeldLock } from "../output/output.js";
import { refuseLiving } from "../output/shared-locks.js";
import type { Split } from "../plan/plan.js";
import type { StoreUsage } from "../store/store-usage.js";
import { forgetOutdated } from "./dedupe/dedupe-epochs.js";
import { foldDuplicates } from "./dedupe/duplicate-totals.js";
import { joinMerged, type MergedDays } from "./merge/merge-spilled.js";
import type { WorkerPool } from "./pool/worker-pool.js";
import { type EndedEpoch, runEpoch } from "./run-epoch.js";
import type { DiscoveredInputs, RunJob, RunOutside } from "./run-job.js";
import { createPool, discoverInputs, factsOf, planRun, requireSplits } from "./run-setup.js";
import type { StartedRun } from "./start-run.js";

/** The result of a run. Errors that end the whole run (disk full, usage) are thrown instead. */
export interface RunResult<Accounts extends RunAccounts> {
  readonly outcome: RunOutcome;
  readonly manifest: Accounts;
  /** Absolute path of the manifest. */
  readonly manifestPath: string;
  /** The epochs of the manifest that this run worked on: new inputs, and earlier ones that it finished. */
  readonly epochs: Accounts["epochs"];
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
  /** Requests to object stores; absent if there were none. */
  readonly store?: StoreUsage;
}

interface EndedRun<Accounts extends RunAccounts> {
  readonly end: "done" | "interrupted";
  readonly manifest: Accounts;
  /** Absent if an earlier run had left nothing to do. */
  readonly ended?: readonly EndedEpoch[];
}

/**
 * Runs from the inputs to the manifest, or resumes the run that the output directory holds:
 * discover, lock, plan, read and merge each epoch in order, account. Throws `UsageError` if it
 * cannot begin, and `SwitchyardError` if it cannot continue (disk full).
 */
export async function runSplits<Accounts extends RunAccounts>(
  job: RunJob<Accounts>,
  context: RunContext,
  outside: RunOutside,
): Promise<RunResult<Accounts>> {
  const { layout } = job;
  const { signal, observer } = context;
  const startedMs = outside.now();
  const inputs = await withFrugalHeap(() => discoverInputs(job, outside, signal));
  throwIfInterrupted(signal);
  const output = directoryOutput(layout.outputDirectory);
  const lock = await output.lock(LOCK_PATH).take();
  const ended: EndedEpoch[] = [];
  let pool: WorkerPool | undefined;
  try {
    await refuseLiving(output, layout.outputDirectory, signal);
    if (job.finishesOnly === true)
      await withFrugalHeap(() => requireSplits(layout, factsOf(inputs, job.recorded)));
    const planning = { outside, signal, startedMs };
    let run = await withFrugalHeap(() => planRun(job, inputs, planning));
    if (run.manifest !== undefined) {
      const manifest = run.manifest as Accounts;
      // A kill right after the manifest was written may have left some.
      await removeSpilled(layout, new Set(run.epochs.keys()));
      return resultOf(job, { end: "done", manifest });
    }
    await job.publisher?.planned();
    const [first] = run.epochs;
    if (first !== undefined) await job.begun?.(first.record);
    for (const text of notesOf(inputs, lock, run)) observer.note?.(text);
    pool = createPool(job, context, outside);
    if (await forgetOutdated(job, run.epochs, context, pool)) {
      run = await planRun(job, inputs, planning);
    }
    if (job.options.dedupe !== undefined) await job.publisher?.planned();
    const records = new Map(run.epochs.flatMap(({ finished }) => [...finished]));
    for (const epoch of run.epochs) {
      ended.push(await runEpoch(job, epoch, { context, outside, pool, records }));
    }
    await job.splitsEnded?.([...records.values()], pool);
    // Threads take 10 to 30 ms to release their memory.
    void pool.end();
    const merged = joinMerged(ended.map((epoch) => epoch.merged));
    const account = accountFacts(run, startedMs, outside.now());
    const manifest = await withFrugalHeap(() =>
      writeAccounts(job, account, [...records.values()], merged),
    );
    await removeSpilled(layout, mergedEpochs(run, ended, records));
    return resultOf(job, { end: merged.end, manifest, ended });
  } finally {
    await pool?.end();
    await lock.release();
  }
}

function resultOf<Accounts extends RunAccounts>(
  { layout, options }: RunJob<Accounts>,
  { end, manifest, ended }: EndedRun<Accounts>,
): RunResult<Accounts> {
  const { failures, rows, run } = manifest;
  const works = (ended ?? []).flatMap(({ work }) => work ?? []);
  const worked = new Set(
    ended?.flatMap(({ number, work }) => (work === undefined ? [] : [number])),
  );
  return {
    // A failed source does not end a run.
    outcome: end === "done" && failures.length > 0 ? "failed" : end,
    manifest,
    manifestPath: layout.manifestFile,
    epochs: manifest.epochs.filter(({ number }) => worked.has(number)),
    failures,
    tooManyRejects: exceeds(rows, options.maxRejects),
    alreadyDone: ended === undefined,
    rowsRead: sum(works, (work) => work.rows),
    bytesRead: sum(works, (work) => work.bytes),
    durationMs: ended === undefined ? 0 : run.durationMs,
  };
}

/** Returns true if more rows were rejected than allowed. */
export function exceeds(
  { read, rejected }: Pick<RowCounts, "read" | "rejected">,
  maxRejects: MaxRejects,
): boolean {
  return rejected > ("rows" in maxRejects ? maxRejects.rows : maxRejects.share * read);
}

/**
 * Returns the epochs that no longer need their spilled rows, because none of their splits is read again.
 */
function mergedEpochs(
  { epochs }: StartedRun,
  ended: readonly EndedEpoch[],
  records: ReadonlyMap<string, SplitRecord>,
): ReadonlySet<number> {
  const isComplete = ({ id }: Split) => records.get(id)?.status === "complete";
  return new Set(
    ended
      .filter(({ merged }) => merged.end === "done")
      .map(({ number }) => number)
      .filter((number) => epochs[number]?.record.plan.splits.every(isComplete)),
  );
}

/** Describes the inputs that are not data. */
export function describeDocuments({ documents = [] }: DiscoveredInputs): readonly string[] {
  return documents.length === 0 ? [] : [`skipped (not data): ${listNames(documents)}`];
}

function notesOf(
  inputs: DiscoveredInputs,
  { takenOverFrom: dead }: Pick<HeldLock, "takenOverFrom">,
  { notes }: StartedRun,
): readonly string[] {
  return [
    ...describeDocuments(inputs),
    ...(dead === undefined ? [] : [`resuming after process ${dead.pid}, which died`]),
    ...notes,
  ];
}

const NAMES_SHOWN = 5;

function listNames(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : "";
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more}`;
}

function accountFacts(
  { epochs }: StartedRun,
  startedMs: number,
  endedMs: number,
): Omit<AccountFacts, "inputs"> {
  const records = epochs.map(({ record }) => record);
  const { version = "", options = {}, startedAt = "", limit } = records[0] ?? {};
  const unreadable = records.flatMap((record) => record.unreadable);
  return {
    version,
    options,
    plan: {
      sources: records.flatMap(({ plan }) => plan.sources),
      splits: records.flatMap(({ plan }) => plan.splits),
    },
    ...omitUndefined({ limit }),
    epochs: records.map(({ plan }, number) => ({ number, sources: plan.sources.length })),
    unreadable: unreadable.filter(
      ({ source }, index) => unreadable.findIndex((one) => one.source === source) === index,
    ),
    run: {
      startedAt,
      endedAt: new Date(endedMs).toISOString(),
      durationMs: endedMs - startedMs,
      resumes: sum(records, ({ resumes }) => resumes),
      epochs: records.map((record) => record.startedAt),
    },
  };
}

async function writeAccounts<Accounts extends RunAccounts>(
  { layout, options, fold }: RunJob<Accounts>,
  facts: Omit<AccountFacts, "inputs">,
  records: readonly SplitRecord[],
  merged: MergedDays,
): Promise<Accounts> {
  const { dedupe } = options;
  const duplicates = dedupe && (await foldDuplicates(layout, records, dedupe));
  const inputs = await writeInputs(layout, facts.plan, foldFailures(facts, records));
  const account = { ...facts, inputs, ...omitUndefined({ duplicates }) };
  const { manifest, files } = await fold(account, records, merged);
  await writeManifest(layout, manifest, files);
  return manifest;
}
