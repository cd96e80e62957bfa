import { epochPrefix } from "../base/epoch.js";
import { COMPRESSED_WEIGHT, SPLIT_SOURCES, SPLITS_MAX } from "../base/limits.js";
import { sum } from "../base/sum.js";
import { formatOf } from "../formats/input-formats.js";
import { isTarEntry, type Source, type SourceRange } from "../sources/source.js";

/** The part of a run that one worker reads and commits as a whole. */
export interface Split {
  /** Six digits, after the prefix of the epoch; part of the names of parts and rejects. */
  readonly id: string;
  /** Sorted like the sources. */
  readonly ranges: readonly SourceRange[];
  /** Bytes on disk that the ranges cover, for progress. */
  readonly bytes: number;
}

export interface Plan {
  readonly sources: readonly Source[];
  readonly splits: readonly Split[];
}

/** A source with the ranges that it can be cut into, in order and without a gap. */
export interface RangedSource {
  readonly source: Source;
  readonly ranges: readonly SourceRange[];
  /** The end of the last range of the source, if a limit of rows left some ranges out. */
  readonly end?: number | null;
}

interface PlanLimits {
  /** Target size of a split in uncompressed bytes, estimated from the size on disk. */
  readonly splitBytes: number;
  readonly splitsMax?: number;
  /** Part of the ids of splits; default 0. */
  readonly epoch?: number;
  /** Returns true for ranges, far fewer than `splitsMax`, that are splits of their own; absent: none. */
  readonly isAlone?: (range: SourceRange) => boolean;
}

interface Piece {
  readonly range: SourceRange;
  readonly bytes: number;
  readonly weight: number;
}

/** Pieces in order. Not one object each, because there can be millions. */
interface WeighedPieces {
  readonly sources: readonly Source[];
  readonly ranges: readonly SourceRange[];
  readonly bytes: Float64Array;
  readonly weights: Float64Array;
}

/**
 * Packs ranges into splits, in order: a split is closed before it would exceed `splitBytes`. If
 * there are more than `splitsMax` splits, the size is doubled until they fit. Pure: the same
 * sources give the same plan.
 */
export function makePlan(ranged: Iterable<RangedSource>, limits: PlanLimits): Plan {
  const splitsMax = limits.splitsMax ?? SPLITS_MAX;
  const pieces = weigh(ranged, limits);
  let splitBytes = limits.splitBytes;
  let ends = pack(pieces, splitBytes, limits);
  while (ends.length > splitsMax) {
    splitBytes *= 2;
    ends = pack(pieces, splitBytes, limits);
  }
  return Object.freeze({
    sources: Object.freeze(pieces.sources),
    splits: Object.freeze(cut(pieces, ends, 0, limits)),
  });
}

/**
 * Returns the size of splits at which all sources together need at most `splitsMax` splits. Sources
 * are cut by this size before they are planned.
 */
export function growSplitBytes(sources: readonly Source[], limits: PlanLimits): number {
  const weight = sum(sources, (source) => source.size * weightFactor(source));
  let splitBytes = limits.splitBytes;
  while (weight / splitBytes > (limits.splitsMax ?? SPLITS_MAX)) splitBytes *= 2;
  return splitBytes;
}

/** Returns the plan with new descriptions of its sources, matched by name, in the same ranges. */
export function updateSources(plan: Plan, sources: readonly Source[]): Plan {
  const { length } = plan.sources;
  const isSame = (source: Source, index: number) => source === plan.sources[index];
  if (sources.length === length && sources.every(isSame)) return plan;
  const current = new Map(sources.map((source) => [source.name, source]));
  const update = (source: Source) => current.get(source.name) ?? source;
  return assemblePlan(
    plan.sources.map(update),
    plan.splits.map(({ id, ranges }) => ({
      id,
      ranges: ranges.map((range) => ({ ...range, source: update(range.source) })),
    })),
  );
}

/** Returns the plan with more sources at its end, in additional splits. */
export function extendPlan(plan: Plan, ranged: Iterable<RangedSource>, limits: PlanLimits): Plan {
  const pieces = weigh(ranged, limits);
  const ends = pack(pieces, limits.splitBytes, limits);
  const splits = cut(pieces, ends, plan.splits.length, limits);
  return Object.freeze({
    sources: Object.freeze([...plan.sources, ...pieces.sources]),
    splits: Object.freeze([...plan.splits, ...splits]),
  });
}

/** Returns the plan without some sources; their splits stay, possibly with nothing to read. */
export function removeSources(plan: Plan, names: ReadonlySet<string>): Plan {
  return assemblePlan(
    plan.sources.filter(({ name }) => !names.has(name)),
    plan.splits.map(({ id, ranges }) => ({
      id,
      ranges: ranges.filter(({ source }) => !names.has(source.name)),
    })),
  );
}

/**
 * Returns the plan with new content of some sources, for files that were repaired after they had
 * failed. The number and order of splits stay the same: the new ranges of a source are distributed
 * over the splits that held its old ones.
 */
export function replaceSources(plan: Plan, replacements: Iterable<RangedSource>): Plan {
  const fresh = new Map([...replacements].map((ranged) => [ranged.source.name, ranged]));
  const old = piecesOfPlan(plan.sources, plan.splits);
  const homes = splitsOfSources(plan.splits);
  const dealt = (name: string, ranged: RangedSource, split: Split) => {
    const home = homes.get(name) ?? [];
    return share(piecesOf(ranged), home.indexOf(split.id), home.length);
  };
  const replaceIn = (split: Split): Split => {
    const placed = new Set<string>();
    const pieces = split.ranges.flatMap((range) => {
      const { name } = range.source;
      const ranged = fresh.get(name);
      if (ranged === undefined) return old.get(range) ?? [];
      if (placed.has(name)) return [];
      placed.add(name);
      return dealt(name, ranged, split);
    });
    return splitOf(split.id, pieces);
  };
  return Object.freeze({
    sources: Object.freeze(plan.sources.map((source) => fresh.get(source.name)?.source ?? source)),
    splits: Object.freeze(plan.splits.map(replaceIn)),
  });
}

/** Returns a plan from its parts in the ledger. */
function assemblePlan(
  sources: readonly Source[],
  splits: readonly { readonly id: string; readonly ranges: readonly SourceRange[] }[],
): Plan {
  const pieces = piecesOfPlan(sources, splits);
  return Object.freeze({
    sources: Object.freeze([...sources]),
    splits: Object.freeze(
      splits.map(({ id, ranges }) =>
        splitOf(
          id,
          ranges.flatMap((range) => pieces.get(range) ?? []),
        ),
      ),
    ),
  });
}

/** Returns the id of a split: its index in the plan of its epoch. */
export function splitIdOf(index: number, epoch = 0): string {
  return `${epochPrefix(epoch)}${String(index).padStart(6, "0")}`;
}

/** Returns the ids of the splits that read each source, by name. `names`: only these sources. */
export function splitsOfSources(
  splits: readonly Pick<Split, "id" | "ranges">[],
  names?: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const homes = new Map<string, string[]>();
  if (names?.size === 0) return homes;
  for (const { id, ranges } of splits) {
    for (const name of new Set(ranges.map((range) => range.source.name))) {
      if (names?.has(name) === false) continue;
      const home = homes.get(name);
      if (home === undefined) homes.set(name, [id]);
      else home.push(id);
    }
  }
  return homes;
}

function piecesOfPlan(
  sources: readonly Source[],
  splits: readonly Pick<Split, "ranges">[],
): ReadonlyMap<SourceRange, Piece> {
  const bySource = new Map<Source, SourceRange[]>(sources.map((source) => [source, []]));
  for (const { ranges } of splits) {
    for (const range of ranges) bySource.get(range.source)?.push(range);
  }
  const pieces = [...bySource].flatMap(([source, ranges]) => piecesOf({ source, ranges }));
  return new Map(pieces.map((piece) => [piece.range, piece]));
}

/** Returns the `index`-th of `count` equal shares of `items`. */
function share<T>(items: readonly T[], index: number, count: number): readonly T[] {
  const start = Math.floor((items.length * index) / count);
  return items.slice(start, Math.floor((items.length * (index + 1)) / count));
}

/**
 * Gives every source a minimum weight, because opening one takes time. By bytes alone, a zip of
 * 100,000 small entries would be one split: one thread would read it, and read all of it again
 * after a kill.
 */
function weigh(ranged: Iterable<RangedSource>, { splitBytes }: PlanLimits): WeighedPieces {
  const lightest = splitBytes / SPLIT_SOURCES;
  let [sourceCount, count] = [0, 0];
  for (const { ranges } of ranged) {
    sourceCount++;
    count += ranges.length;
  }
  // Arrays that grow would be copied many times.
  const sources = new Array<Source>(sourceCount);
  const ranges = new Array<SourceRange>(count);
  const bytes = new Float64Array(count);
  const weights = new Float64Array(count);
  [sourceCount, count] = [0, 0];
  for (const one of ranged) {
    sources[sourceCount++] = one.source;
    for (const piece of piecesOf(one)) {
      ranges[count] = piece.range;
      bytes[count] = piece.bytes;
      weights[count++] = Math.max(piece.weight, lightest);
    }
  }
  return { sources, ranges, bytes, weights };
}

/** Returns where groups of pieces end. */
function pack(
  { weights, ranges }: WeighedPieces,
  splitBytes: number,
  { isAlone = () => false }: Pick<PlanLimits, "isAlone">,
): readonly number[] {
  const ends: number[] = [];
  let open = 0;
  let wasAlone = false;
  for (const [index, weight] of weights.entries()) {
    const alone = isAlone(ranges[index] as SourceRange);
    if (index > (ends.at(-1) ?? 0) && (alone || wasAlone || open + weight > splitBytes)) {
      ends.push(index);
      open = 0;
    }
    open += weight;
    wasAlone = alone;
  }
  if (weights.length > 0) ends.push(weights.length);
  return ends;
}

/** Returns the splits of groups of pieces. `first`: index of the first split in its plan. */
function cut(
  { ranges, bytes }: WeighedPieces,
  ends: readonly number[],
  first: number,
  { epoch }: PlanLimits,
): readonly Split[] {
  return ends.map((end, index) => {
    const start = ends[index - 1] ?? 0;
    const size = sum(bytes.subarray(start, end), (one) => one);
    return freezeSplit(splitIdOf(first + index, epoch), ranges.slice(start, end), size);
  });
}

function splitOf(id: string, pieces: readonly Piece[]): Split {
  const bytes = sum(pieces, (piece) => piece.bytes);
  return freezeSplit(
    id,
    pieces.map(({ range }) => range),
    bytes,
  );
}

function freezeSplit(id: string, ranges: readonly SourceRange[], bytes: number): Split {
  return Object.freeze({ id, ranges: Object.freeze(mergeAdjacent(ranges)), bytes });
}

/** Joins consecutive ranges of a source, so that the file is opened once. */
function mergeAdjacent(ranges: readonly SourceRange[]): readonly SourceRange[] {
  const merged: SourceRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    const isNext = last?.source === range.source && last.end === range.start;
    if (last !== undefined && isNext && range.first === undefined) {
      merged[merged.length - 1] = Object.freeze({ ...last, end: range.end });
    } else {
      merged.push(Object.freeze(range));
    }
  }
  return merged;
}

function piecesOf(ranged: RangedSource): readonly Piece[] {
  const factor = weightFactor(ranged.source);
  return diskBytes(ranged).map((bytes, index) => {
    const range = ranged.ranges[index] as SourceRange;
    return { range, bytes: range.first?.bytes ?? bytes, weight: bytes * factor };
  });
}

/** Returns the uncompressed bytes that a byte on disk of a source counts for. */
export function weightFactor(source: Source): number {
  return formatOf(source.format).weight ?? (isCompressed(source) ? COMPRESSED_WEIGHT : 1);
}

/** Returns true for a source that is never cut. */
function isCompressed({ entry, codecs }: Source): boolean {
  if (codecs.length > 0 || entry === undefined) return codecs.length > 0;
  return isTarEntry(entry) ? entry.codecs.length > 0 : entry.method !== 0;
}

/** Returns the bytes on disk of each range; each row group counts the same. */
function diskBytes({ source, ranges, end: wholeEnd }: RangedSource): readonly number[] {
  const last = ranges.at(-1);
  if (last === undefined) return [];
  // A single range that does not reach the end has siblings that were left out.
  const inBytes = formatOf(source.format).rangeUnit === "bytes";
  const isWhole = last.end === null || (!inBytes && wholeEnd === undefined);
  if (ranges.length === 1 && last.start === 0 && isWhole) return [source.size];
  const units = inBytes ? source.size : (wholeEnd ?? last.end);
  if (units === null) return ranges.map(() => Math.floor(source.size / ranges.length));
  const bytesPerUnit = units === 0 ? 0 : source.size / units;
  return ranges.map(
    ({ start, end }) =>
      Math.round((end ?? units) * bytesPerUnit) - Math.round(start * bytesPerUnit),
  );
}
