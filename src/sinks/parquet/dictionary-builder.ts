import { DICTIONARY_BYTES_MAX, ROW_BUFFER_ROWS_MAX } from "../../base/limits.js";
import type { Column } from "../../batch/column.js";
import { type Kernel, LOOSE_BYTES } from "../../batch/kernel.js";
import { KernelRecord } from "../../batch/kernel-record.js";
import { dictionaryLayout } from "../../batch/layouts.js";

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
  readonly #dictionary: KernelRecord<keyof typeof dictionaryLayout.words>;

  constructor(private readonly kernel: Kernel) {
    this.values = kernel.allocate(DICTIONARY_BYTES_MAX + LOOSE_BYTES);
    this.indexes = kernel.allocate(ROW_BUFFER_ROWS_MAX * 4);
    this.#dictionary = new KernelRecord(kernel, dictionaryLayout);
    this.#dictionary.set("values", this.values);
    this.#dictionary.set("bytesMax", DICTIONARY_BYTES_MAX);
    this.#dictionary.set("indexes", this.indexes);
    this.#dictionary.set("table", kernel.allocate(TABLE_BYTES_MAX));
  }

  get distinct(): number {
    return this.#dictionary.get("distinct");
  }

  /** Bytes of `values`. */
  get bytes(): number {
    return this.#dictionary.get("bytes");
  }

  /** Number of indexes. */
  get count(): number {
    return this.#dictionary.get("count");
  }

  /** Bits of an index. 1 for a single value, because some readers reject 0. */
  get bitWidth(): number {
    return Math.max(1, 32 - Math.clz32(this.distinct - 1));
  }

  /** Returns false if a dictionary does not pay; the members are then undefined. */
  build(column: Column, rows: { order: number; start: number; end: number }): boolean {
    const { order, start, end } = rows;
    const dictionary = this.#dictionary;
    dictionary.set("tableBits", Math.max(TABLE_BITS_MIN, 33 - Math.clz32(end - start - 1)));
    this.kernel.run.buildDictionary(dictionary.address, column.address, order, start, end);
    const { bytes, count } = this;
    if (dictionary.get("done") === 0 || count === 0) return false;
    return bytes + (count * this.bitWidth) / 8 < dictionary.get("plainBytes");
  }
}
