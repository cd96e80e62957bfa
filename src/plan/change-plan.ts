import { throwIfInterrupted } from "../base/errors.js";
import { holdsSame } from "../sources/fingerprint.js";
import type { FirstRows, Source, SourceRange } from "../sources/source.js";
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

/** The changes that a saved plan needs before it is resumed. */
export interface PlanChanges {
  /** Sources with new content, which are planned again in their old splits. */
  readonly repaired: readonly Source[];
  /** Sources that could not be read before. */
  readonly appeared: readonly Source[];
  /** Names of sources that can no longer be read. */
  readonly lost: ReadonlySet<string>;
  /** Names of sources that are gone and need not be read again. */
  readonly vanished: ReadonlySet<string>;
}

/** Returns the ranges that a source can be cut into. */
type PlanRanges = (source: Source, splitBytes: number) => Promise<readonly SourceRange[]>;

export interface PlanningOptions {
  readonly splitBytes: number;
  /** As in `RunSink`. */
  readonly isFinal: boolean;
  readonly planRanges: PlanRanges;
  /** Returns true for a range that is a split of its own. */
  readonly isAlone?: (range: SourceRange) => boolean;
  /** Plan only the first rows of the inputs; absent: all. */
  readonly limit?: LimitOptions;
  /** Stops the planning; no plan is kept. */
  readonly signal: AbortSignal;
}

/**
 * Counts the rows of a range, up to `rowsMax`, and the bytes on disk that were read for them. A
 * source that fails has the rows before the damage.
 */
export type CountRows = (range: SourceRange, rowsMax: number) => Promise<FirstRows>;

/** The rows to plan, and what counts rows. */
export interface LimitOptions {
  readonly rows: number;
  openCounter(): Promise<CountRows>;
}

/** Returns true if a plan made for the sources of today would differ from the saved one. */
export function isPlanChanged({ repaired, appeared, lost }: PlanChanges): boolean {
  return repaired.length + appeared.length + lost.size > 0;
}

/** Returns the ids of the splits that would read other bytes than before. */
export function changedSplits(before: Plan, now: Plan): readonly string[] {
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
 * Returns the plan of a clean run over today's sources: its output has the same bytes. If finished
 * splits cannot be read again, returns the saved plan with the changes in place.
 */
export async function changePlan(
  saved: Plan,
  sources: readonly Source[],
  changes: PlanChanges,
  options: PlanningOptions & { readonly epoch: number },
): Promise<Plan> {
  if (!isPlanChanged(changes)) return updateSources(saved, sources);
  const { repaired, appeared, lost, vanished } = changes;
  const { epoch } = options;
  const splitBytes = growSplitBytes(sources, options);
  if (!options.isFinal && vanished.size === 0) {
    return makePlan(await rangeSources(sources, splitBytes, options), { splitBytes, epoch });
  }
  const range = (changed: readonly Source[]) => rangeSources(changed, splitBytes, options);
  const kept = removeSources(updateSources(saved, sources), lost);
  const replaced = replaceSources(kept, await range(repaired));
  return extendPlan(replaced, await range(appeared), { splitBytes, epoch });
}

export async function rangeSources(
  sources: readonly Source[],
  splitBytes: number,
  { planRanges, signal }: Pick<PlanningOptions, "planRanges" | "signal">,
): Promise<Iterable<RangedSource>> {
  // Most sources have one range. Arrays that grow are copied again and again.
  const ranges = new Array<SourceRange>(sources.length);
  let count = 0;
  for (const source of sources) {
    for (const range of await rangesOf(source, splitBytes, planRanges)) ranges[count++] = range;
    // `rangesOf` also swallows the error of an interruption.
    throwIfInterrupted(signal);
  }
  ranges.length = count;
  return { [Symbol.iterator]: () => groupRanges(sources, ranges) };
}

/** Returns the ranges, which are in the order of the sources, by source. */
function* groupRanges(
  sources: readonly Source[],
  ranges: readonly SourceRange[],
): Generator<RangedSource> {
  let start = 0;
  for (const source of sources) {
    let end = start;
    while (ranges[end]?.source === source) end++;
    yield { source, ranges: ranges.slice(start, end) };
    start = end;
  }
}

/**
 * Returns one range for a source that cannot be cut because of an error. The worker that reads it
 * gets the same error, which then fails only that source.
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
