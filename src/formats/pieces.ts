import { isParsed } from "../readers/csv/csv-dialects.js";
import { isPlain, openBytes } from "../sources/open-bytes.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Source, SourceRange } from "../sources/source.js";

/** Reads some of the pieces of equal size that a source can be cut into, and none of the others. */
export interface Pieces {
  /** Returns true for a source that can be cut. */
  canCut(source: Source): boolean;
  /** Returns the rows that begin in a piece; undefined if there are none. */
  rangeOf(
    source: Source,
    piece: { readonly index: number; readonly bytes: number },
    options: ReaderOptions,
  ): Promise<SourceRange | undefined>;
}

/** Lines can be cut anywhere. */
export const linePieces: Pieces = {
  canCut: isPlain,
  async rangeOf(source, { index, bytes }) {
    const end = (index + 1) * bytes;
    return { source, start: index * bytes, end: end < source.size ? end : null };
  },
};

/** A CSV is cut where a record is known to begin. */
export const csvPieces: Pieces = {
  canCut(source) {
    const { format } = source;
    const isReadable = format.kind === "csv" && format.encoding === "utf-8" && !isParsed(format);
    return isReadable && isPlain(source);
  },
  async rangeOf(source, piece, options) {
    const { cutCsvPiece } = await import("../readers/csv/csv-ranges.js");
    return cutCsvPiece(source, (whole, start) => openBytes(whole, start, options), piece);
  },
};

export function planWhole(source: Source): readonly SourceRange[] {
  return [{ source, start: 0, end: null }];
}

/** Lines can be cut anywhere: the reader of a range begins at the first line that begins in it. */
export function planLineRanges(source: Source, splitBytes: number): readonly SourceRange[] {
  if (!isPlain(source)) return planWhole(source);
  const count = Math.max(1, Math.ceil(source.size / splitBytes));
  return Array.from({ length: count }, (_, index) => ({
    source,
    start: index * splitBytes,
    end: index === count - 1 ? null : (index + 1) * splitBytes,
  }));
}
