// Lines in a row buffer: made once, from the batch, and then ordered, spilled and written as bytes.

import { Column, KIND_STRING } from "../column";
import { copyWide } from "../utf8";
import { lineBytes, lineBytesMax, writeLine } from "./jsonl";
import { delivered } from "./row-buffer";

/**
 * Writes the delivered rows of [from, to) as lines to `data`, one behind the other, as many as fit
 * into `bytesMax` bytes and `rowsMax` rows, and describes them in `target` and `targetTimestamps`
 * from `targetRow` on. `columns` as in `encodeLines`. Overwrites up to 63 bytes behind `bytesMax`.
 * Writes to `result` as u32: the row after the last that fits, how many of them are delivered,
 * their bytes, and the bytes of the first delivered row that does not fit (0 where all fit).
 */
export function gatherLines(
  outcomes: usize,
  columns: usize,
  timestamps: usize,
  from: i32,
  to: i32,
  target: usize,
  targetTimestamps: usize,
  targetRow: i32,
  rowsMax: i32,
  data: usize,
  bytesMax: usize,
  result: usize,
): void {
  const event = changetype<Column>(<usize>load<u32>(columns));
  const value = changetype<Column>(<usize>load<u32>(columns, 12));
  const user = changetype<Column>(<usize>load<u32>(columns, 16));
  const metadata = changetype<Column>(<usize>load<u32>(columns, 20));
  const lines = changetype<Column>(target);
  const end = data + bytesMax;
  let refused: usize = 0;
  let t = data;
  let rows: i32 = 0;
  let row = from;
  for (; row < to; row++) {
    if (!delivered(outcomes, row)) continue;
    const timestamp = load<f64>(timestamps + ((<usize>row) << 3));
    const isNear = t + lineBytesMax(event, value, user, metadata, row) > end;
    if (isNear || rows == rowsMax) {
      // Whether a line fits must not depend on the estimate of its length.
      const bytes = lineBytes(event, value, user, metadata, timestamp, row, t);
      if (rows == rowsMax || t + bytes > end) {
        refused = bytes;
        break;
      }
    }
    const start = t;
    t = writeLine(event, value, user, metadata, timestamp, row, t);
    store<f64>(targetTimestamps + ((<usize>(targetRow + rows)) << 3), timestamp);
    lines.set(targetRow + rows, KIND_STRING, start, t - start);
    rows++;
  }
  store<u32>(result, <u32>row);
  store<u32>(result, <u32>rows, 4);
  store<u32>(result, <u32>(t - data), 8);
  store<u32>(result, <u32>refused, 12);
}

/**
 * Writes how many of the texts at `order` [from, to) have at most `bytesMax` bytes together, at
 * least one. Writes to `result` as u32: the index after the last of them, their bytes, and the
 * address of the first if they are contiguous in memory, else 0.
 */
export function measureTexts(
  column: usize,
  order: usize,
  from: i32,
  to: i32,
  bytesMax: usize,
  result: usize,
): void {
  const texts = changetype<Column>(column);
  const first = texts.start(load<i32>(order + ((<usize>from) << 2)));
  let bytes: usize = 0;
  let isOnePiece = true;
  let place = from;
  for (; place < to; place++) {
    const row = load<i32>(order + ((<usize>place) << 2));
    const length = texts.length(row);
    if (bytes + length > bytesMax && place > from) break;
    isOnePiece = isOnePiece && texts.start(row) == first + bytes;
    bytes += length;
  }
  store<u32>(result, <u32>place);
  store<u32>(result, <u32>bytes, 4);
  store<u32>(result, isOnePiece ? <u32>first : 0, 8);
}

/**
 * Copies the texts at `order` [from, to) to `target`; up to 63 bytes past the end are overwritten.
 */
export function copyTexts(column: usize, order: usize, from: i32, to: i32, target: usize): void {
  const texts = changetype<Column>(column);
  for (let place = from; place < to; place++) {
    const row = load<i32>(order + ((<usize>place) << 2));
    target = copyWide(target, texts.start(row), texts.length(row));
  }
}
