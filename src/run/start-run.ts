import { basename } from "node:path";
import { isThere } from "../base/durable-file.js";
import { epochOf } from "../base/epoch.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { applyActions } from "../ledger/apply-actions.js";
import { type CompactedParts, readCompacted } from "../ledger/compacted.js";
import { findEdited } from "../ledger/edited-sources.js";
import { Ledger, type RunRecord, readEpochs, type SavedEpoch } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { RunAccounts } from "../ledger/manifest.js";
import { readAccounts } from "../ledger/manifest-file.js";
import {
  isMerged,
  type MergeState,
  mergedOf,
  nothingMerged,
  readMergeState,
} from "../ledger/merge-state.js";
import { type DecidedEpoch, emptyActions, resumeActions } from "../ledger/output-actions.js";
import {
  findIncomplete,
  listOutput,
  type OutputListing,
  refuseForeignFiles,
} from "../ledger/output-listing.js";
import {
  ChangedError,
  type Comparison,
  compareRun,
  type RunFacts,
  refuseGrowth,
} from "../ledger/resume.js";
import { assignSources } from "../ledger/source-epochs.js";
import { type Layout, layoutOf, layoutOfEpoch, splitOfPartName } from "../output/layout.js";
import type { OutputFiles } from "../output/output-files.js";
import {
  changedSplits,
  changePlan,
  isPlanChanged,
  type PlanChanges,
  type PlanningOptions,
  rangeSources,
} from "../plan/change-plan.js";
import { growSplitBytes, makePlan, type Plan } from "../plan/plan.js";
import type { Source } from "../sources/source.js";
import { describeForgotten, describeGone } from "./gone-inputs.js";
import { findDamaged } from "./merge/merge-plan.js";

interface StartOptions extends PlanningOptions {
  readonly fresh: boolean;
  /** Do not read splits with a failed source again: this run only finishes what others have read. */
  readonly finishesOnly: boolean;
  /** Called before the output is changed; throws if the run cannot begin. */
  beforeChange?(): Promise<void>;
  readonly now: Date;
  /** Milliseconds since 1970 UTC; ignored for epochs that have recorded one. */
  readonly maxTimeMs: number;
}

/** An epoch that is ready: its plan is in the ledger. */
export interface StartedEpoch {
  readonly ledger: Ledger;
  readonly record: RunRecord;
  /** Splits that an earlier run has finished; they are not read again. */
  readonly finished: ReadonlyMap<string, SplitRecord>;
  /** Merges that an earlier run has finished. */
  readonly merges: MergeState;
  /** Finished splits that are read again because parts or spilled rows of theirs are missing or damaged. */
  readonly lost: number;
  /** Names of inputs that are gone: the splits that read them cannot be read again. */
  readonly vanished: ReadonlySet<string>;
}

/** A run that is ready: all output in its directory belongs to one of its epochs. */
export interface StartedRun {
  /** In order; the last one is new if some inputs belong to no earlier epoch. */
  readonly epochs: readonly StartedEpoch[];
  /** Facts worth a line. */
  readonly notes: readonly string[];
  /** The manifest, if nothing is left to do. */
  readonly manifest?: RunAccounts;
}

/**
 * Begins a run in a directory that this process has locked, or resumes the run in it: keeps
 * finished splits and removes everything else. Plans a further epoch for inputs that belong to no
 * epoch. After a kill at any moment, the next start repeats it.
 */
export async function startRun(
  files: OutputFiles,
  layout: Layout,
  facts: RunFacts,
  options: StartOptions,
): Promise<StartedRun> {
  if (isThere(layout.compactingDirectory)) {
    const { finishCompaction } = await import("../check/compact/finish-compaction.js");
    await finishCompaction(files, layout);
  }
  const saved = options.fresh ? [] : await readEpochs(layout, facts.sources);
  await refuseForeignFiles(files, layout, options.fresh || saved.length > 0);
  if (options.fresh) return startOver(files, layout, facts, options);
  const records = saved.map(({ record }) => record);
  const { known, fresh } = assignSources(records, facts);
  const states: EpochState[] = [];
  // One at a time: there can be more epochs than files that may be open.
  for (const [index, epoch] of saved.entries())
    states.push(await readState(epoch, { ...facts, ...known[index] }, options));
  const refused = new Set(states.flatMap(({ changes }) => changes.refused));
  if (refused.size > 0) {
    if (options.isFinal || states.some((state) => state.records.length > 0))
      throw new ChangedError(layout.outputDirectory, [...refused]);
    // A plan of which nothing was read binds nobody.
    return startOver(files, layout, facts, options);
  }
  const listing = await listOutput(files, layout);
  // Without a ledger, there are no joined parts.
  const found = saved.length === 0 ? undefined : await readCompacted(layout);
  const planned: PlannedState[] = [];
  for (const state of states) planned.push(await planState(state, options));
  const outputNow = { listing, canMove: !files.isCopy };
  const { resumed, compacted } = resumeEpochs(planned, outputNow, found);
  const isGrown = saved.length === 0 || fresh.sources.length + fresh.unreadable.length > 0;
  if (isGrown) refuseGrowth(layout.outputDirectory, records, fresh);
  if (!isGrown && resumed.every(({ isIntact }) => isIntact)) {
    const manifest = await readAccounts(layout);
    // It can be missing after a kill; the ledger has all that is needed to write it again.
    if (manifest?.complete === true && manifest.epochs.length === resumed.length)
      return { epochs: resumed, notes: [], manifest };
  }
  await options.beforeChange?.();
  const added = isGrown
    ? [await planEpoch(layoutOfEpoch(layout, saved.length), { ...facts, ...fresh }, options)]
    : [];
  const epochs = [...resumed.map(decided), ...added.map(decidedNew)];
  const joined = compacted && new Set(compacted.parts.map(({ path }) => path));
  await applyActions(files, layout, resumeActions(layout, { ...outputNow, epochs, joined }));
  await files.save();
  return { epochs: [...resumed, ...added], notes: states.flatMap(describeGone) };
}

/** Plans all inputs as the first epoch, and removes the output of earlier runs, also of another dataset. */
async function startOver(
  files: OutputFiles,
  layout: Layout,
  facts: RunFacts,
  options: StartOptions,
): Promise<StartedRun> {
  const forgotten = options.fresh ? await describeForgotten(layout, facts) : [];
  const before = await new Ledger(layout).readHead().catch(() => undefined);
  const dataset = before?.options["dataset"];
  const listings = [await listOutput(files, layout)];
  if (typeof dataset === "string" && dataset !== basename(layout.datasetDirectory))
    listings.push(await listOutput(files, layoutOf(layout.outputDirectory, dataset)));
  await options.beforeChange?.();
  const added = await planEpoch(layout, facts, options);
  const epochs = [decidedNew(added)];
  const nothing = { listing: new Map(), canMove: false, epochs, joined: new Set<string>() };
  await applyActions(files, layout, [
    ...emptyActions(layout, listings),
    ...resumeActions(layout, nothing),
  ]);
  await files.save();
  return { epochs: [added], notes: forgotten };
}

/** The files of the output before anything is changed. */
interface OutputNow {
  readonly listing: OutputListing;
  /** True if parts can be moved. */
  readonly canMove: boolean;
}

/** A saved epoch, compared with the current inputs. */
interface EpochState extends SavedEpoch {
  readonly facts: RunFacts;
  readonly records: readonly SplitRecord[];
  readonly finished: Map<string, SplitRecord>;
  readonly changes: Comparison;
}

interface ResumedEpoch extends StartedEpoch {
  /** True if nothing is missing and the plan has not changed. */
  readonly isIntact: boolean;
  /** Ids of splits in the ledger that are no longer finished. */
  readonly dropped: readonly string[];
}

/** Reads which splits of an epoch are finished, and compares the epoch with the current inputs. */
export async function readState(
  { ledger, record }: SavedEpoch,
  facts: RunFacts,
  { isFinal, finishesOnly }: Pick<StartOptions, "isFinal" | "finishesOnly">,
): Promise<EpochState> {
  const records = await ledger.readSplits();
  const finished = new Map(
    records
      .filter(({ status }) => finishesOnly || status === "complete")
      .map((one) => [one.id, one]),
  );
  const replaceable = isFinal ? new Set<string>() : failedSources(records);
  const edited = await findEdited(record.plan.sources, facts.sources, [...finished.values()]);
  const splits = { finished: new Set(finished.keys()), replaceable, edited, isFinal };
  return { ledger, record, facts, records, finished, changes: compareRun(record, splits, facts) };
}

/** An epoch with the plan for the current inputs. */
interface PlannedState extends EpochState {
  readonly plan: Plan;
  /** True if some splits of the new plan read other bytes, so that the epoch is read again in part. */
  readonly isChanged: boolean;
  readonly saidMerges: MergeState;
}

async function planState(state: EpochState, options: StartOptions): Promise<PlannedState> {
  const { ledger, record: saved, facts, changes } = state;
  const plan = await changePlan(saved.plan, facts.sources, changes, {
    ...options,
    ...ledger.layout,
  });
  const isChanged = isPlanChanged(changes) && !options.isFinal;
  return { ...state, plan, isChanged, saidMerges: await readMergeState(ledger) };
}

/**
 * Finds the remaining work of all epochs; writes nothing. The joined parts are absent if they no longer
 * count: they have rows of several splits, so if one of these is read again, the others are too.
 */
function resumeEpochs(
  planned: readonly PlannedState[],
  outputNow: OutputNow,
  compacted: CompactedParts | undefined,
): { readonly resumed: readonly ResumedEpoch[]; readonly compacted: CompactedParts | undefined } {
  const resume = (replaced: ReadonlySet<string>) =>
    planned.map((state) => resumeEpoch(state, outputNow, replaced));
  if (compacted !== undefined) {
    const resumed = resume(compacted.replaced);
    if (areJoinedIntact(outputNow.listing, compacted, resumed)) return { resumed, compacted };
  }
  return { resumed: resume(new Set()), compacted: undefined };
}

/** Finds the remaining work of an epoch; writes nothing. */
function resumeEpoch(
  { ledger, record: saved, facts, records, finished: before, changes, ...now }: PlannedState,
  { listing, canMove }: OutputNow,
  replaced: ReadonlySet<string>,
): ResumedEpoch {
  const { layout } = ledger;
  const { plan, isChanged, saidMerges } = now;
  const changed = new Set(isChanged ? changedSplits(saved.plan, plan) : []);
  const finished = new Map([...before].filter(([id]) => !changed.has(id)));
  const record: RunRecord = { ...saved, plan, unreadable: facts.unreadable };
  const isWhole = () => finished.size === plan.splits.length;
  const known = [...finished.values()];
  const merges = mergedOf(saidMerges, known);
  const incomplete = findIncomplete(listing, known, replaced);
  const areMergesThere = findIncomplete(listing, merges.done, replaced).length === 0;
  const isIntact =
    !isChanged &&
    facts.unreadable.length === saved.unreadable.length &&
    isWhole() &&
    incomplete.length === 0 &&
    isMerged(merges, known) &&
    areMergesThere;
  const { vanished } = changes;
  const found = { ledger, record, finished, merges, lost: 0, vanished, isIntact, dropped: [] };
  if (isIntact) return found;
  const lost = new Set([...incomplete, ...findDamaged(layout, known, listing, canMove)]);
  for (const { id } of lost) finished.delete(id);
  refuseVanished(layout, saved.plan, finished, changes);
  // A split that is not read yet may spill rows of any day.
  const keepsMerges = isWhole() && !isChanged && areMergesThere;
  return {
    ...found,
    record: { ...record, resumes: saved.resumes + 1 },
    merges: keepsMerges ? merges : nothingMerged,
    lost: lost.size,
    dropped: records.map(({ id }) => id).filter((id) => !finished.has(id)),
  };
}

/** Returns true if all joined parts exist, and all parts that they replace belong to intact epochs. */
function areJoinedIntact(
  listing: OutputListing,
  compacted: CompactedParts,
  resumed: readonly ResumedEpoch[],
): boolean {
  if (findIncomplete(listing, [compacted], new Set()).length > 0) return false;
  const splits = [...compacted.replaced].flatMap((path) => splitOfPartName(basename(path)) ?? []);
  const epochs = new Set(splits.map(epochOf));
  return [...epochs].every((epoch) => resumed[epoch]?.isIntact === true);
}

function decided({ isIntact, ledger, ...epoch }: ResumedEpoch): DecidedEpoch {
  return { ...epoch, epoch: ledger.layout.epoch, state: isIntact ? "intact" : "changed" };
}

function decidedNew({ ledger, ...epoch }: StartedEpoch): DecidedEpoch {
  return { ...epoch, epoch: ledger.layout.epoch, dropped: [], state: "added" };
}

/**
 * Throws if a split with a missing input has to be read again: the rows of its other inputs would
 * be lost too.
 */
function refuseVanished(
  { outputDirectory }: Layout,
  { splits }: Plan,
  finished: ReadonlyMap<string, SplitRecord>,
  { vanished }: PlanChanges,
): void {
  if (vanished.size === 0) return;
  const names = splits
    .filter(({ id }) => !finished.has(id))
    .flatMap(({ ranges }) => ranges.map(({ source }) => source.name));
  const gone = [...new Set(names)].filter((name) => vanished.has(name));
  if (gone.length === 0) return;
  const why = "is gone, but has to be read again, because files of its split are damaged or change";
  throw new ChangedError(
    outputDirectory,
    gone.map((name) => `input ${name}: ${why}`),
  );
}

async function planEpoch(
  layout: Layout,
  { version, options: recorded, sources, unreadable }: RunFacts,
  options: StartOptions,
): Promise<StartedEpoch> {
  const { epoch } = layout;
  const splitBytes = growSplitBytes(sources, options);
  const { ranged, limit } = await rangesOf(sources, splitBytes, options);
  const record: RunRecord = {
    version,
    options: recorded,
    maxTimeMs: options.maxTimeMs,
    startedAt: options.now.toISOString(),
    resumes: 0,
    ...omitUndefined({ limit }),
    plan: makePlan(ranged, { splitBytes, epoch, ...omitUndefined({ isAlone: options.isAlone }) }),
    unreadable,
  };
  return begunEpoch(new Ledger(layout), record);
}

/** Returns the ranges of all sources, or those of the first rows. */
async function rangesOf(
  sources: readonly Source[],
  splitBytes: number,
  { limit, ...options }: StartOptions,
) {
  if (limit === undefined) {
    return { ranged: await rangeSources(sources, splitBytes, options), limit };
  }
  const { limitRanges } = await import("../plan/limit-ranges.js");
  return limitRanges(sources, splitBytes, { ...options, limit });
}

/** Returns an epoch with a plan and no records. */
export function begunEpoch(ledger: Ledger, record: RunRecord): StartedEpoch {
  return {
    ledger,
    record,
    finished: new Map(),
    merges: nothingMerged,
    lost: 0,
    vanished: new Set(),
  };
}

function failedSources(records: readonly SplitRecord[]): ReadonlySet<string> {
  return new Set(records.flatMap(({ failures }) => failures.map(({ source }) => source)));
}
