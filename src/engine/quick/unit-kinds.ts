import { formatOf } from "../../formats/input-formats.js";
import type { QuickLimits } from "../../options/options.js";
import type { OpenReader } from "../../readers/reader.js";
import { isPlain } from "../../sources/open-bytes.js";
import type { ReaderOptions } from "../../sources/read-options.js";
import type { Source, SourceRange } from "../../sources/source.js";
import type { Unit } from "./draw-units.js";
import { measureBeginning } from "./measure-beginning.js";

/** Reads the inputs before the run. */
export interface SampleTools {
  readonly open: OpenReader;
  readonly options: ReaderOptions;
}

/** The part of a unit that is read. */
interface UnitPart {
  readonly range: SourceRange;
  /** In the unit of its class. */
  readonly size: number;
  readonly isBeginning: boolean;
  /** Relative error of the size. */
  readonly slack: number;
}

/** The units of sources that are cut alike. Errors of sources are `SourceError`s. */
export interface UnitKind {
  /** Returns the units of a source, in order; they can be iterated again. */
  unitsOf(
    source: Source,
    limits: QuickLimits,
    tools: SampleTools,
  ): Iterable<Unit> | Promise<Iterable<Unit>>;
  /** Returns the units to draw, which take as long to read as `draws` pieces. */
  drawsOf(draws: number, meanSize: number, limits: QuickLimits): number;
  /** Returns the part of a unit that is read; undefined if no row begins in it. */
  partOf(unit: Unit, limits: QuickLimits, tools: SampleTools): Promise<UnitPart | undefined>;
}

/** Rows of a row group that are read, per row of the beginning of a source. */
const GROUP_FACTOR = 20;
/** Draws of pieces per draw of a whole source or a row group, whose beginnings are larger. */
const SOURCE_FACTOR = 6;
/** Least draws, for an error with some degrees of freedom. */
const DRAWS_MIN = 16;

/** Pieces of files, in bytes; row groups of Parquet, in rows; whole sources, in bytes on disk. */
export const unitKinds = {
  pieces: {
    unitsOf(source, limits) {
      const bytes = pieceBytesOf(source, limits);
      return { [Symbol.iterator]: () => piecesOf(source, bytes) };
    },
    drawsOf: (draws) => draws,
    async partOf({ source, index, size }, limits, { options }) {
      const piece = { index, bytes: pieceBytesOf(source, limits) };
      const range = await formatOf(source.format).pieces?.rangeOf(source, piece, options);
      return range && { range, size, isBeginning: false, slack: 0 };
    },
  },
  groups: {
    async unitsOf(source, _, { options }) {
      const { readGroupRows } = await import("../../parquet/ranges.js");
      const groups = await readGroupRows(source, options);
      return groups.map((size, index) => ({ source, index, size }));
    },
    drawsOf(draws, meanRows, { firstRows }) {
      const rows = Math.min(meanRows, firstRows * GROUP_FACTOR);
      return Math.min(draws, Math.max(DRAWS_MIN, Math.ceil((draws * firstRows) / rows)));
    },
    async partOf({ source, index, size }, { firstRows }) {
      const rows = firstRows * GROUP_FACTOR;
      const range = { source, start: index, end: index + 1 };
      if (size <= rows) return { range, size, isBeginning: false, slack: 0 };
      const bytes = Math.round((source.size * rows) / size);
      return {
        range: { ...range, first: { rows, bytes } },
        size: rows,
        isBeginning: true,
        slack: 0,
      };
    },
  },
  sources: {
    unitsOf: (source) => [{ source, index: 0, size: source.size }],
    drawsOf: (draws) => Math.max(DRAWS_MIN, Math.round(draws / SOURCE_FACTOR)),
    async partOf({ source, size }, { firstRows }, { open, options }) {
      const range = { source, start: 0, end: null };
      const first = await measureBeginning(source, firstRows, open, options);
      if (first === undefined) return { range, size, isBeginning: false, slack: 0 };
      const { rows, bytes, slack } = first;
      return { range: { ...range, first: { rows, bytes } }, size: bytes, isBeginning: true, slack };
    },
  },
} as const satisfies Readonly<Record<string, UnitKind>>;

/** Returns the kind of units that a source has. */
export function unitKindOf(source: Source): keyof typeof unitKinds {
  const { pieces, rangeUnit } = formatOf(source.format);
  if (rangeUnit === "row groups") return isPlain(source) ? "groups" : "sources";
  return pieces?.canCut(source) === true ? "pieces" : "sources";
}

function* piecesOf(source: Source, bytes: number): Generator<Unit> {
  for (let index = 0; index * bytes < source.size; index++)
    yield { source, index, size: Math.min(bytes, source.size - index * bytes) };
}

function pieceBytesOf({ format }: Source, { pieceBytes }: QuickLimits): number {
  return Math.min(formatOf(format).samplePieceBytes, pieceBytes);
}
