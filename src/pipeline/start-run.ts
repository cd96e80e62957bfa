import { throwIfInterrupted } from "../base/errors.js";
import type { Source, SourceRange } from "../readers/source.js";
import { type Layout, layoutOf } from "./ledger/layout.js";
import type { Ledger, RunRecord } from "./ledger/ledger.js";
import type { SplitRecord } from "./ledger/ledger-records.js";
import {
  findIncomplete,
  forgetMerges,
  forgetPlan,
  forgetSplits,
  refuseForeignFiles,
  removeOutput,
} from "./ledger/output-directory.js";
import { checkResume, holdsSame, type PlanChanges, type RunFacts } from "./ledger/resume.js";
import { findDamaged } from "./merge/merge-plan.js";
import {
  isDayMerged,
  isMerged,
  type MergeState,
  nothingMerged,
  readMerges,
} from "./merge/merge-state.js";
import {
  extendPlan,
  growSplitBytes,
  makePlan,
  type Plan,
  type RangedSource,
  removeSources,
  replaceSources,
  updateSources,
} from "./plan.js";

/** Returns the ranges that a source can be cut into. */
export type PlanRanges = (source: Source, splitBytes: number) => Promise<readonly SourceRange[]>;

export interface StartOptions {
  readonly splitBytes: number;
  readonly fresh: boolean;
  /** As in `RunJob`. */
  readonly isFinal: boolean;
  readonly now: Date;
  /** Milliseconds since 1970 UTC; ignored if an earlier run has recorded one. */
  readonly maxTimeMs: number;
  readonly planRanges: PlanRanges;
  /** Ends the planning; no plan is kept then. */
  readonly signal: AbortSignal;
}

/** A run that is ready: its plan is in the ledger, and all output there belongs to it. */
export interface StartedRun {
  readonly record: RunRecord;
  /** Splits that an earlier run has finished. */
  readonly finished: ReadonlyMap<string, SplitRecord>;
  /** Merges that an earlier run has finished. */
  readonly merges: MergeState;
  /** Finished splits that are read again because parts or spilled rows of theirs are missing or damaged. */
  readonly lost: number;
}

/**
 * Begins a run in a directory that this process has locked, or resumes the one that is there: it
 * keeps finished splits and removes everything else. After a kill at any moment, the next start
 * repeats it.
 */
export async function startRun(
  layout: Layout,
  ledger: Ledger,
  facts: RunFacts,
  options: StartOptions,
): Promise<StartedRun> {
  const saved = options.fresh ? undefined : await ledger.readRun();
  if (saved !== undefined) return resume(layout, ledger, facts, options, saved);
  await refuseForeignFiles(layout, options.fresh);
  if (options.fresh) await startOver(layout, ledger);
  return startNew(layout, ledger, facts, options);
}

async function startNew(
  layout: Layout,
  ledger: Ledger,
  { version, options: recorded, sources, unreadable }: RunFacts,
  options: StartOptions,
): Promise<StartedRun> {
  const splitBytes = growSplitBytes(sources, options);
  const ranged = await rangeSources(sources, splitBytes, options);
  const record: RunRecord = {
    version,
    options: recorded,
    maxTimeMs: options.maxTimeMs,
    startedAt: options.now.toISOString(),
    resumes: 0,
    plan: makePlan(ranged, { splitBytes }),
    unreadable,
  };
  await forgetSplits(layout);
  await ledger.prepare();
  await removeOutput(layout, () => false);
  await ledger.writeRun(record);
  return { record, finished: new Map(), merges: nothingMerged, lost: 0 };
}

async function resume(
  layout: Layout,
  ledger: Ledger,
  facts: RunFacts,
  options: StartOptions,
  saved: RunRecord,
): Promise<StartedRun> {
  const records = await ledger.readSplits();
  const finished = new Map(
    records.filter(({ status }) => status === "complete").map((record) => [record.id, record]),
  );
  const replaceable = options.isFinal ? new Set<string>() : failedSources(records);
  const done = { finished: new Set(finished.keys()), replaceable };
  const changes = checkResume(layout.outputDirectory, saved, done, facts);
  const plan = await changePlan(saved.plan, facts.sources, changes, options);
  const isChanged = isPlanChanged(changes) && !options.isFinal;
  if (isChanged) for (const id of changedSplits(saved.plan, plan)) finished.delete(id);
  const record: RunRecord = { ...saved, plan, unreadable: facts.unreadable };
  await ledger.prepare();
  const isWhole = () => finished.size === plan.splits.length;
  const known = [...finished.values()];
  const merges = await readMerges(ledger, known);
  const incomplete = await findIncomplete(layout, known);
  const areMergesThere = (await findIncomplete(layout, merges.done)).length === 0;
  if (
    !isChanged &&
    isWhole() &&
    incomplete.length === 0 &&
    isMerged(merges, known) &&
    areMergesThere
  )
    return { record, finished, merges, lost: 0 };
  const lost = new Set([...incomplete, ...findDamaged(layout, known)]);
  for (const { id } of lost) finished.delete(id);
  // A split that is not read yet may spill rows of any day.
  const keepsMerges = isWhole() && !isChanged && areMergesThere;
  const kept = keepsMerges ? merges : nothingMerged;
  if (!keepsMerges) await forgetMerges(layout);
  for (const { id } of records) if (!finished.has(id)) await ledger.removeSplit(id);
  await removeOutput(
    layout,
    (id) => finished.has(id),
    (day) => isDayMerged(kept, day),
  );
  const resumed = { ...record, resumes: saved.resumes + 1 };
  await ledger.writeRun(resumed);
  return { record: resumed, finished, merges: kept, lost: lost.size };
}

function failedSources(records: readonly SplitRecord[]): ReadonlySet<string> {
  return new Set(records.flatMap(({ failures }) => failures.map(({ source }) => source)));
}

function isPlanChanged({ repaired, appeared, lost }: PlanChanges): boolean {
  return repaired.length + appeared.length + lost.size > 0;
}

/** Returns the ids of the splits that would read something else than before. */
function changedSplits(before: Plan, now: Plan): readonly string[] {
  const fresh = new Map(now.splits.map(({ id, ranges }) => [id, ranges]));
  const isSame = (one: SourceRange, other: SourceRange | undefined) =>
    other !== undefined &&
    one.source.name === other.source.name &&
    one.start === other.start &&
    one.end === other.end &&
    holdsSame(one.source, other.source);
  return before.splits
    .filter(({ id, ranges }) => {
      const others = fresh.get(id) ?? [];
      return (
        ranges.length !== others.length ||
        !ranges.every((range, index) => isSame(range, others[index]))
      );
    })
    .map(({ id }) => id);
}

/**
 * Returns the plan of a clean run over the sources as they are now, so that its output has the same
 * bytes; where finished splits cannot be read again, the saved plan with the changes at their places.
 */
async function changePlan(
  saved: Plan,
  sources: readonly Source[],
  { repaired, appeared, lost }: PlanChanges,
  options: StartOptions,
): Promise<Plan> {
  const splitBytes = growSplitBytes(sources, options);
  if (!options.isFinal) {
    if (!isPlanChanged({ repaired, appeared, lost })) return updateSources(saved, sources);
    return makePlan(await rangeSources(sources, splitBytes, options), { splitBytes });
  }
  const range = (changed: readonly Source[]) => rangeSources(changed, splitBytes, options);
  const kept = removeSources(updateSources(saved, sources), lost);
  const replaced = replaceSources(kept, await range(repaired));
  return extendPlan(replaced, await range(appeared), { splitBytes });
}

/**
 * Removes the output of earlier runs, also of another dataset. The order matters: after a kill at
 * any moment, the run can be resumed or started over.
 */
async function startOver(layout: Layout, ledger: Ledger): Promise<void> {
  const before = await ledger.readRun().catch(() => undefined);
  await forgetSplits(layout);
  await removeOutput(layout, () => false);
  const dataset = before?.options["dataset"];
  if (typeof dataset === "string") {
    await removeOutput(layoutOf(layout.outputDirectory, dataset), () => false);
  }
  await forgetPlan(layout);
}

async function rangeSources(
  sources: readonly Source[],
  splitBytes: number,
  { planRanges, signal }: Pick<StartOptions, "planRanges" | "signal">,
): Promise<readonly RangedSource[]> {
  const ranged: RangedSource[] = [];
  for (const source of sources) {
    const ranges = await rangesOf(source, splitBytes, planRanges);
    // `rangesOf` also swallows the error of an interruption.
    throwIfInterrupted(signal);
    ranged.push({ source, ranges });
  }
  return ranged;
}

/**
 * Plans a source whose ranges cannot be found as a whole. The worker that reads it meets the same
 * error, which then fails only that source.
 */
async function rangesOf(
  source: Source,
  splitBytes: number,
  planRanges: PlanRanges,
): Promise<readonly SourceRange[]> {
  try {
    return await planRanges(source, splitBytes);
  } catch {
    return [{ source, start: 0, end: null }];
  }
}
