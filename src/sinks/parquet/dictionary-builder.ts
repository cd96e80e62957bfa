import { DICTIONARY_BYTES_MAX, ROW_BUFFER_ROWS_MAX } from "../../base/limits.js";
import type { Column } from "../../batch/column.js";
import type { Kernel } from "../../batch/kernel.js";
import { LOOSE_BYTES } from "../row-buffer.js";

/** Fewest slots, so that the table of a row group with few rows is quick to clear. */
const TABLE_BITS_MIN = 6;
const TABLE_BYTES_MAX = 2 * ROW_BUFFER_ROWS_MAX * 8;

/**
 * Finds the distinct values of a column chunk. Its members describe the last successful `build`.
 */
export class DictionaryBuilder {
  /** Address of the values as PLAIN byte arrays, in order of appearance. */
  readonly values: number;
  /** Address of a u32 index for each row that is not null. */
  readonly indexes: number;
  readonly #table: number;
  readonly #result: number;
  #distinct = 0;
  #bytes = 0;
  #count = 0;

  constructor(private readonly kernel: Kernel) {
    this.values = kernel.allocate(DICTIONARY_BYTES_MAX + LOOSE_BYTES);
    this.indexes = kernel.allocate(ROW_BUFFER_ROWS_MAX * 4);
    this.#table = kernel.allocate(TABLE_BYTES_MAX);
    this.#result = kernel.allocate(32);
  }

  get distinct(): number {
    return this.#distinct;
  }

  /** Bytes of `values`. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of indexes. */
  get count(): number {
    return this.#count;
  }

  /** Bits of an index. 1 for a single value, because some readers reject 0. */
  get bitWidth(): number {
    return bitWidthOf(this.#distinct);
  }

  /** Returns false if a dictionary does not pay; the members are then undefined. */
  build(column: Column, rows: { order: number; start: number; end: number }): boolean {
    const { order, start, end } = rows;
    const tableBits = Math.max(TABLE_BITS_MIN, 33 - Math.clz32(end - start - 1));
    this.kernel.run.buildDictionary(
      column.address,
      order,
      start,
      end,
      this.values,
      DICTIONARY_BYTES_MAX,
      this.indexes,
      this.#table,
      tableBits,
      this.#result,
    );
    const { words } = this.kernel;
    const result = this.#result / 4;
    const done = words[result]!;
    const distinct = words[result + 1]!;
    const bytes = words[result + 2]!;
    const count = words[result + 3]!;
    const plainBytes = words[result + 4]!;
    if (done === 0 || count === 0) return false;
    this.#distinct = distinct;
    this.#bytes = bytes;
    this.#count = count;
    return bytes + (count * bitWidthOf(distinct)) / 8 < plainBytes;
  }
}

function bitWidthOf(distinct: number): number {
  return Math.max(1, 32 - Math.clz32(distinct - 1));
}
