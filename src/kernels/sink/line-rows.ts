// Lines in a row buffer: made once, from the batch, and then ordered, spilled and written as bytes.

import { Column, KIND_STRING, rowAt } from "../column";
import { copyWide } from "../utf8";
import { TextLayout, lineBytes, lineBytesMax, writeLine } from "./jsonl";
import { delivered } from "./row-buffer";

/** Made in src/sinks/row-buffer.ts: room for lines in a row buffer, and what was gathered. */
@unmanaged
class LineGathering {
  layout: TextLayout;
  /** A `Column` and doubles that describe the lines, from row `targetRow` on. */
  target: usize;
  targetTimestamps: usize;
  targetRow: i32;
  rowsMax: i32;
  /** Lines are contiguous from here on; up to 63 bytes after `bytesMax` are overwritten. */
  data: usize;
  bytesMax: u32;
  /** The row after the last that fits. */
  end: i32;
  /** Delivered rows among them, and their bytes. */
  rows: i32;
  bytes: u32;
  /** Bytes of the first delivered row that does not fit; 0 if all fit. */
  refusedBytes: u32;
}

/**
 * Writes the delivered rows of [from, to) as lines, as many as fit, and describes them. `address`
 * is that of a `LineGathering`; `columns` has the addresses of the columns of the batch.
 */
export function gatherLines(
  address: usize,
  outcomes: usize,
  columns: usize,
  timestamps: usize,
  from: i32,
  to: i32,
): void {
  const gathering = changetype<LineGathering>(address);
  const layout = gathering.layout;
  const targetTimestamps = gathering.targetTimestamps;
  const targetRow = gathering.targetRow;
  const rowsMax = gathering.rowsMax;
  const data = gathering.data;
  const lines = changetype<Column>(gathering.target);
  const end = data + gathering.bytesMax;
  let refused: usize = 0;
  let t = data;
  let rows: i32 = 0;
  let row = from;
  for (; row < to; row++) {
    if (!delivered(outcomes, row)) continue;
    const timestamp = load<f64>(timestamps + ((<usize>row) << 3));
    const isNear = t + lineBytesMax(layout, columns, row) > end;
    if (isNear || rows == rowsMax) {
      // The exact length decides, so that the result does not depend on the estimate.
      const bytes = lineBytes(layout, columns, timestamp, row, t);
      if (rows == rowsMax || t + bytes > end) {
        refused = bytes;
        break;
      }
    }
    const start = t;
    t = writeLine(layout, columns, timestamp, row, t);
    store<f64>(targetTimestamps + ((<usize>(targetRow + rows)) << 3), timestamp);
    lines.set(targetRow + rows, KIND_STRING, start, t - start);
    rows++;
  }
  gathering.end = row;
  gathering.rows = rows;
  gathering.bytes = <u32>(t - data);
  gathering.refusedBytes = <u32>refused;
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
  const first = texts.start(rowAt(order, from));
  let bytes: usize = 0;
  let isOnePiece = true;
  let place = from;
  for (; place < to; place++) {
    const row = rowAt(order, place);
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
    const row = rowAt(order, place);
    target = copyWide(target, texts.start(row), texts.length(row));
  }
}
