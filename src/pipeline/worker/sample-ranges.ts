import { formatOf } from "../../readers/formats.js";
import type { Source, SourceRange } from "../../readers/source.js";

/** Pieces of one source at most. */
const PIECES_MAX = 65_536;

/** Bytes that pieces of a source should have, before some of them are chosen. */
export function pieceBytesOf({ format, size }: Source): number {
  return Math.max(formatOf(format).samplePieceBytes, Math.ceil(size / PIECES_MAX));
}

/**
 * Chooses a share of all pieces of the inputs, evenly spread over them: as bytes go by, one piece is
 * taken each time that a piece's bytes of the share have come together. A source that cannot be cut is
 * one piece. To be asked in the order of the sources.
 */
export class RangeSampler {
  #total = 0;
  #chosen = 0;
  /** Bytes of the share that have come together and are not yet taken. */
  #due = 0;

  constructor(private readonly share: number) {}

  /** The share of all bytes that is read. */
  get chosenShare(): number {
    return this.#total === 0 ? 1 : this.#chosen / this.#total;
  }

  choose(source: Source, ranges: readonly SourceRange[]): readonly SourceRange[] {
    const bytes = source.size / Math.max(1, ranges.length);
    return ranges.filter(() => this.#take(bytes));
  }

  /** The first piece is always taken, so that there is one. */
  #take(bytes: number): boolean {
    const isFirst = this.#total === 0;
    this.#total += bytes;
    this.#due += bytes * this.share;
    if (this.#due < bytes && !isFirst) return false;
    this.#due = isFirst ? 0 : this.#due - bytes;
    this.#chosen += bytes;
    return true;
  }
}
