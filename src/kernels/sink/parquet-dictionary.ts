// Dictionaries of Parquet column chunks: distinct values and an index for each row.

import { equal, hashOf } from "../byte-hash";
import { Column, KIND_NULL, rowAt } from "../column";
import { copyLoose } from "../utf8";

/** Number of values after which a column that hardly repeats is given up. */
const TRIAL_VALUES: u32 = 8_192;

/** Made in src/sinks/parquet/column-chunk-writer.ts: where a dictionary is built, and what it is. */
@unmanaged
class Dictionary {
  /** Distinct values as PLAIN byte arrays, in order of appearance; up to `bytesMax` bytes. */
  values: usize;
  bytesMax: u32;
  /** A u32 index for each row that is not null. */
  indexes: usize;
  /** 2^`tableBits` slots of 8 bytes, at least twice the number of rows. */
  table: usize;
  tableBits: u32;
  /** 1, or 0 if building was given up: then the members below are undefined. */
  done: u32;
  distinct: u32;
  /** Bytes of the distinct values. */
  bytes: u32;
  /** Number of indexes. */
  count: u32;
  /** Bytes that all values would take as PLAIN. */
  plainBytes: u32;
}

/**
 * Builds the dictionary of the rows at `order` [from, to). Gives up if the values would take more
 * than `bytesMax` bytes, or if most are distinct. `address` is that of a `Dictionary`.
 */
export function buildDictionary(
  address: usize,
  column: usize,
  order: usize,
  from: i32,
  to: i32,
): void {
  const dictionary = changetype<Dictionary>(address);
  const values = dictionary.values;
  const valuesEnd = values + dictionary.bytesMax;
  const indexes = dictionary.indexes;
  const table = dictionary.table;
  const cells = changetype<Column>(column);
  const mask = ((<usize>1) << dictionary.tableBits) - 1;
  memory.fill(table, 0, (mask + 1) << 3);
  let top = values;
  let distinct: u32 = 0;
  let count: u32 = 0;
  let plainBytes: u32 = 0;
  dictionary.done = 0;
  for (let place = from; place < to; place++) {
    const row = rowAt(order, place);
    if (cells.kind(row) == KIND_NULL) continue;
    const start = cells.start(row);
    const length = cells.length(row);
    plainBytes += <u32>length + 4;
    let probe = <usize>(hashOf(start, length) >> 20) & mask;
    let index: u32 = 0;
    for (;;) {
      // A slot: the address of the value's length in `values` (0: free) and the value's index.
      const slot = table + (probe << 3);
      const entry = <usize>load<u32>(slot);
      if (entry == 0) {
        if (top + 4 + length > valuesEnd) return;
        store<u32>(slot, <u32>top);
        store<u32>(slot, distinct, 4);
        index = distinct++;
        store<u32>(top, <u32>length);
        top = copyLoose(top + 4, start, length);
        break;
      }
      if (<usize>load<u32>(entry) == length && equal(entry + 4, start, length)) {
        index = load<u32>(slot, 4);
        break;
      }
      probe = (probe + 1) & mask;
    }
    store<u32>(indexes + ((<usize>count) << 2), index);
    count++;
    if (count == TRIAL_VALUES && distinct > TRIAL_VALUES - TRIAL_VALUES / 4) return;
  }
  dictionary.done = 1;
  dictionary.distinct = distinct;
  dictionary.bytes = <u32>(top - values);
  dictionary.count = count;
  dictionary.plainBytes = plainBytes;
}
