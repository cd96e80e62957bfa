// Events as CSV records (RFC 4180): a null is an empty cell, an empty text is `""`. The text `\N` is
// quoted too, because readers take it for null otherwise, and so is one that begins with a byte order mark,
// which they skip.

import { Column, KIND_NULL, columnAt, rowAt } from "../column";
import { copyLoose } from "../utf8";
import { FIELD_NUMBER, FIELD_TIMESTAMP, TextEncoding, TextField, writeTime } from "./jsonl";

/**
 * Bytes of a record in addition to its cells: commas, quotes, timestamp, line end, loose stores.
 */
const RECORD_OVERHEAD: usize = 128;

/** Returns whether a spreadsheet would run a cell that begins with this byte. */
@inline
function startsFormula(c: u32): bool {
  return c == 0x3d || c == 0x2b || c == 0x2d || c == 0x40 || c == 0x09 || c == 0x0d;
}

/** Returns whether a cell has a quote, a comma or a line end. */
@inline
function needsQuotes(start: usize, length: usize): bool {
  const end = start + length;
  for (let p = start; p < end; p += 16) {
    const v = v128.load(p);
    let stops = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x2c))),
        v128.or(i8x16.eq(v, i8x16.splat(0x0a)), i8x16.eq(v, i8x16.splat(0x0d))),
      ),
    );
    if (end - p < 16) stops &= (1 << <i32>(end - p)) - 1;
    if (stops != 0) return true;
  }
  return false;
}

/** Copies a cell with its quotes doubled; may write up to 15 bytes past the end. */
@inline
function copyDoubling(target: usize, start: usize, length: usize): usize {
  const quote = i8x16.splat(0x22);
  const end = start + length;
  let p = start;
  while (p < end) {
    const v = v128.load(p);
    v128.store(target, v);
    const quotes = i8x16.bitmask(i8x16.eq(v, quote));
    const clean = quotes == 0 ? <usize>16 : <usize>ctz(quotes);
    if (p + clean >= end) return target + (end - p);
    p += clean;
    target += clean;
    if (quotes == 0) continue;
    store<u16>(target, 0x2222);
    target += 2;
    p++;
  }
  return target;
}

/** Returns whether a cell without quotes means null. */
@inline
function isNullText(start: usize, length: usize): bool {
  return length == 0 || (length == 2 && load<u16>(start) == 0x4e5c);
}

/** Returns whether a cell begins with a byte order mark. */
@inline
function startsWithMark(start: usize, length: usize): bool {
  return length >= 3 && (load<u32>(start) & 0xffffff) == 0xbfbbef;
}

function writeCell(target: usize, cells: Column, row: i32, safe: bool): usize {
  if (cells.kind(row) == KIND_NULL) return target;
  const start = cells.start(row);
  const length = cells.length(row);
  const formula = safe && length > 0 && startsFormula(load<u8>(start));
  const isBare = !isNullText(start, length) && !startsWithMark(start, length);
  if (isBare && !needsQuotes(start, length)) {
    if (formula) store<u8>(target++, 0x27);
    return copyLoose(target, start, length);
  }
  store<u8>(target++, 0x22);
  if (formula) store<u8>(target++, 0x27);
  target = copyDoubling(target, start, length);
  store<u8>(target, 0x22);
  return target + 1;
}

/** Returns an upper bound of the bytes of the record of `row`. `address` as of `encodeRecords`. */
export function measureRecord(address: usize, row: i32): usize {
  const encoding = changetype<TextEncoding>(address);
  const layout = encoding.layout;
  let bytes = RECORD_OVERHEAD;
  for (let at = layout.fields; at < layout.fieldsEnd; at += offsetof<TextField>()) {
    const field = changetype<TextField>(at);
    bytes += 3;
    if (field.kind == FIELD_TIMESTAMP) continue;
    const cells = columnAt(encoding.columns, field.column);
    if (cells.kind(row) != KIND_NULL) bytes += cells.length(row) * 2;
  }
  return bytes;
}

/**
 * Writes the rows at the order's indexes [from, to) as records, as many as are sure to fit into
 * `bytesMax`. `address` is that of a `TextEncoding`, whose values are texts.
 */
export function encodeRecords(address: usize, from: i32, to: i32): void {
  const encoding = changetype<TextEncoding>(address);
  const layout = encoding.layout;
  const columns = encoding.columns;
  const timestamps = encoding.timestamps;
  const order = encoding.order;
  const safe = encoding.safe != 0;
  const fieldsEnd = layout.fieldsEnd;
  const end = encoding.target + encoding.bytesMax;
  let t = encoding.target;
  let place = from;
  for (; place < to; place++) {
    const row = rowAt(order, place);
    if (t + measureRecord(address, row) > end) break;
    for (let at = layout.fields; at < fieldsEnd; at += offsetof<TextField>()) {
      const field = changetype<TextField>(at);
      if (field.kind == FIELD_TIMESTAMP) {
        const timestamp = load<f64>(timestamps + ((<usize>row) << 3));
        t = writeTime(timestamp, layout.unitMs, t);
      } else {
        const mayRun = safe && field.kind != FIELD_NUMBER;
        t = writeCell(t, columnAt(columns, field.column), row, mayRun);
      }
      store<u8>(t++, 0x2c);
    }
    // The last comma becomes a line end.
    store<u16>(t - 1, 0x0a0d);
    t++;
  }
  encoding.next = place;
  encoding.bytes = <u32>(t - encoding.target);
}
