// Dictionaries of Parquet column chunks: distinct values and an index for each row.

import { equal, hashOf } from "../byte-hash";
import { Column, KIND_NULL } from "../column";
import { copyLoose } from "../utf8";

/** Number of values after which a column that hardly repeats is given up. */
const TRIAL_VALUES: u32 = 8_192;

/**
 * Writes the distinct values of the rows at `order` [from, to) to `values` as PLAIN byte arrays, in
 * order of appearance, and each row's index to `indexes` (u32, rows that are not null only). Gives
 * up when the values would take more than `bytesMax` bytes, or when most are distinct. `table` is
 * 2^`tableBits` slots of 8 bytes, at least twice the number of rows. Writes to `result` as u32: 1
 * for done or 0 for given up, distinct values, their bytes, values, and what all would take as
 * PLAIN.
 */
export function buildDictionary(
  column: usize,
  order: usize,
  from: i32,
  to: i32,
  values: usize,
  bytesMax: usize,
  indexes: usize,
  table: usize,
  tableBits: u32,
  result: usize,
): void {
  const cells = changetype<Column>(column);
  const mask = ((<usize>1) << tableBits) - 1;
  memory.fill(table, 0, (mask + 1) << 3);
  let top = values;
  let distinct: u32 = 0;
  let count: u32 = 0;
  let plainBytes: u32 = 0;
  store<u32>(result, 0);
  for (let place = from; place < to; place++) {
    const row = load<i32>(order + ((<usize>place) << 2));
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
        if (top + 4 + length > values + bytesMax) return;
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
  store<u32>(result, 1);
  store<u32>(result, distinct, 4);
  store<u32>(result, <u32>(top - values), 8);
  store<u32>(result, count, 12);
  store<u32>(result, plainBytes, 16);
}
