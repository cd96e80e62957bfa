// Copies rows of event batches into a row buffer: one arena of bytes that columns point into. Each
// batch's column is contiguous, so that later reads walk memory in order.

import { Column, KIND_NULL, KIND_STRING, columnAt } from "../column";
import { loneSurrogate, unescape } from "../json/json-value";
import { copyWide } from "../utf8";

// The same number as `outcomes.deliver` in src/batch/event-batch.ts.
const DELIVER: u32 = 0;

@inline
export function delivered(outcomes: usize, row: i32): bool {
  return load<u8>(outcomes + <usize>row) == DELIVER;
}

/**
 * Writes how many of rows [from, to) fit into `bytesMax` bytes and `rowsMax` rows. `columns` are
 * `columnCount` addresses of columns. Writes to `result` as u32: the row after the last that fits,
 * how many of them are delivered, their bytes, and the bytes of the first delivered row that does
 * not fit (0 if all fit).
 */
export function measureRows(
  outcomes: usize,
  columns: usize,
  columnCount: i32,
  from: i32,
  to: i32,
  bytesMax: u32,
  rowsMax: i32,
  result: usize,
): void {
  let rows: i32 = 0;
  let bytes: u32 = 0;
  let refused: u32 = 0;
  let row = from;
  for (; row < to; row++) {
    if (!delivered(outcomes, row)) continue;
    let rowBytes: u32 = 0;
    for (let c: i32 = 0; c < columnCount; c++) {
      const column = columnAt(columns, c);
      if (column.kind(row) != KIND_NULL) rowBytes += <u32>column.length(row);
    }
    if (rows == rowsMax || bytes + rowBytes > bytesMax) {
      refused = rowBytes;
      break;
    }
    bytes += rowBytes;
    rows++;
  }
  store<u32>(result, <u32>row);
  store<u32>(result, <u32>rows, 4);
  store<u32>(result, bytes, 8);
  store<u32>(result, refused, 12);
}

/**
 * Copies the delivered cells of rows [from, to) to `data` and describes them in `target` from
 * `targetRow` on. Of JSON scalars (`isScalar` = 1) it keeps the text: a string without quotes and
 * escapes, a number digit for digit; of a string with a lone surrogate, which has no UTF-8, the
 * bytes between its quotes. Returns the address after the copies; up to 63 bytes past it are
 * overwritten.
 */
export function gatherCells(
  outcomes: usize,
  source: usize,
  from: i32,
  to: i32,
  target: usize,
  targetRow: i32,
  data: usize,
  isScalar: i32,
): usize {
  const cells = changetype<Column>(source);
  const gathered = changetype<Column>(target);
  for (let row = from; row < to; row++) {
    if (!delivered(outcomes, row)) continue;
    if (cells.kind(row) == KIND_NULL) {
      gathered.set(targetRow++, KIND_NULL, data, 0);
      continue;
    }
    const start = cells.start(row);
    const length = cells.length(row);
    const text = data;
    if (isScalar != 0 && length >= 2 && load<u8>(start) == 0x22) {
      const end = start + length - 1;
      const unescaped = unescape(start + 1, end, text);
      data = loneSurrogate ? copyWide(text, start + 1, length - 2) : text + unescaped;
    } else {
      data = copyWide(text, start, length);
    }
    gathered.set(targetRow++, KIND_STRING, text, data - text);
  }
  return data;
}

/** Writes the delivered timestamps (doubles) of rows [from, to) to `target`. */
export function gatherTimestamps(
  outcomes: usize,
  timestamps: usize,
  from: i32,
  to: i32,
  target: usize,
): void {
  for (let row = from; row < to; row++) {
    if (!delivered(outcomes, row)) continue;
    store<f64>(target, load<f64>(timestamps + ((<usize>row) << 3)));
    target += 8;
  }
}
