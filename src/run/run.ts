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
import { fetchWanted } from "../output/open-files.js";
import type { HeldLock } from "../output/output.js";
import { isSplitDetail } from "../output/output-paths.js";
import { refuseLiving } from "../output/shared-locks.js";
import type { Split } from "../plan/plan.js";
import { notesOfLeftOut } from "../sources/other-files.js";
import type { StoreUsage } from "../store/store-usage.js";
import { joinMerged, type MergedDays } from "./merge/merge-spilled.js";
import type { WorkerPool } from "./pool/worker-pool.js";
import { type EndedEpoch, runEpoch } from "./run-epoch.js";
import { createPool, discoverInputs, planRun, requireSplits } from "./run-setup.js";
import type { DiscoveredInputs, RunSpec } from "./run-spec.js";
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
 * Runs from the inputs to the manifest, or resumes the run that the output directory holds. Throws
 * `UsageError` if it cannot begin, and `SwitchyardError` if it cannot continue (disk full).
 */
export async function run<Accounts extends RunAccounts>(
  spec: RunSpec<Accounts>,
  context: RunContext,
): Promise<RunResult<Accounts>> {
  const { options, sink } = spec;
  const { layout, files, begin, finishesOnly = false } = spec.output;
  const { signal, observer, now = Date.now } = context;
  const startedMs = now();

  // Open: inputs, lock, plan, threads.
  const inputs = await withFrugalHeap(() => discoverInputs(spec, signal));
  throwIfInterrupted(signal);
  const output = directoryOutput(layout.outputDirectory);
  const lock = await output.lock(LOCK_PATH).take();
  let pool: WorkerPool | undefined;
  try {
    await refuseLiving(output, layout.outputDirectory, signal);
    if (finishesOnly) await withFrugalHeap(() => requireSplits(spec, inputs));
    const plan = () => withFrugalHeap(() => planRun(spec, inputs, signal, startedMs));
    let started = await plan();
    const { manifest: earlier } = started;
    if (earlier !== undefined) return await alreadyDone(spec, earlier as Accounts, started);
    const [first] = started.epochs;
    if (first !== undefined) await begin?.(first.record);
    for (const text of notesOf(inputs, lock, started)) observer.note?.(text);
    pool = createPool(spec, context);
    if (options.dedupe !== undefined) {
      const { forgetOutdated } = await import("./dedupe/dedupe-epochs.js");
      if (await forgetOutdated(spec, started.epochs, context, pool)) started = await plan();
      await files.save();
    }

    // Flow: each epoch is read and merged.
    const records = new Map(started.epochs.flatMap(({ finished }) => [...finished]));
    const ended: EndedEpoch[] = [];
    for (const epoch of started.epochs)
      ended.push(await runEpoch(spec, epoch, { context, pool, records }));

    // Drain: what needs all records, and the manifest.
    await sink.drain?.([...records.values()], pool);
    // Threads take 10 to 30 ms to release their memory.
    void pool.end();
    const merged = joinMerged(ended.map((epoch) => epoch.merged));
    const account = accountFacts(started, startedMs, now());
    const manifest = await withFrugalHeap(() => writeAccounts(spec, account, records, merged));
    await removeSpilled(files, layout, mergedEpochs(started, ended, records));
    if (manifest.complete) await spec.follow?.(manifest);
    return resultOf(spec, { end: merged.end, manifest, ended });
  } finally {
    // Stop, in reverse order.
    await pool?.end();
    await lock.release();
  }
}

/** Returns the result of an earlier run, which left nothing to do. */
async function alreadyDone<Accounts extends RunAccounts>(
  spec: RunSpec<Accounts>,
  manifest: Accounts,
  { epochs }: StartedRun,
): Promise<RunResult<Accounts>> {
  // A kill right after the manifest was written may have left some.
  const { files, layout } = spec.output;
  await removeSpilled(files, layout, new Set(epochs.keys()));
  await spec.follow?.(manifest);
  return resultOf(spec, { end: "done", manifest });
}

function resultOf<Accounts extends RunAccounts>(
  { options, output: { layout } }: RunSpec<Accounts>,
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

function notesOf(
  inputs: DiscoveredInputs,
  { takenOverFrom: dead }: Pick<HeldLock, "takenOverFrom">,
  { notes }: StartedRun,
): readonly string[] {
  return [
    ...notesOfLeftOut(inputs.leftOut),
    ...(inputs.notes ?? []),
    ...(dead === undefined ? [] : [`resuming after process ${dead.pid}, which died`]),
    ...notes,
  ];
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
  { options: { dedupe }, output: { layout, files }, fold }: RunSpec<Accounts>,
  facts: Omit<AccountFacts, "inputs">,
  byId: ReadonlyMap<string, SplitRecord>,
  merged: MergedDays,
): Promise<Accounts> {
  const records = [...byId.values()];
  await fetchWanted(files, isSplitDetail);
  const totals = dedupe && (await import("./dedupe/duplicate-totals.js"));
  const duplicates = dedupe && (await totals?.foldDuplicates(layout, records, dedupe));
  const inputs = await writeInputs(layout, facts.plan, foldFailures(facts, records));
  const account = { ...facts, inputs, ...omitUndefined({ duplicates }) };
  const { manifest, files: listed } = await fold(account, records, merged);
  await writeManifest(layout, manifest, listed);
  return manifest;
}
