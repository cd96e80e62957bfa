// Events as newline-delimited JSON, with one member for each column of a `TextLayout`.

import { Column, KIND_NULL, columnAt } from "../column";
import { writeInteger } from "../decimal";
import { escapedBytes, escapeShort } from "../json/json-value";
import { writeTimestamp } from "../nested/time-text";
import { copyLoose } from "../utf8";

/** Bytes of a line in addition to its keys and cells: digits of the timestamp, loose stores. */
const LINE_OVERHEAD: usize = 96;

// The same numbers as `fieldKinds` in src/sinks/text-layout.ts.
export const FIELD_TIMESTAMP: u32 = 0;
export const FIELD_TEXT: u32 = 1;
export const FIELD_JSON: u32 = 2;
/** JSON that a spreadsheet does not run. */
export const FIELD_NUMBER: u32 = 3;

/** A column in lines and records. */
@unmanaged
export class TextField {
  kind: u32;
  /** The index of its column in `TextEncoding.columns`; undefined for the timestamp. */
  column: i32;
  /** `,"name":`, and the quote that begins a text. */
  key: usize;
  keyLength: u32;
}

/** Made in src/sinks/text-layout.ts: the columns of lines and records. */
@unmanaged
export class TextLayout {
  /** Several `TextField`. */
  fields: usize;
  fieldsEnd: usize;
  /** Bytes of all keys. */
  keyBytes: u32;
  /** Milliseconds of a unit of timestamps; 0 for ISO 8601. */
  unitMs: u32;
}

/** Returns the whole units of a time in milliseconds. */
@inline
export function inUnit(timestamp: f64, unitMs: u32): i64 {
  return unitMs == 1 ? <i64>timestamp : <i64>Math.floor(timestamp / <f64>unitMs);
}

/** Writes a time in units of `unitMs`, or as ISO 8601 in UTC if that is 0; at most 32 bytes. */
@inline
export function writeTime(timestamp: f64, unitMs: u32, target: usize): usize {
  if (unitMs != 0) return writeInteger(target, inUnit(timestamp, unitMs));
  const time = <i64>timestamp;
  const end = writeTimestamp(time, 3, true, target);
  if (time % 1000 != 0) return end;
  // Readers detect a format more easily if all times have a fraction: `.000Z` instead of `Z`.
  store<u32>(end - 1, 0x3030302e);
  store<u8>(end + 3, 0x5a);
  return end + 4;
}

@inline
function inLine(v: v128): v128 {
  const lineEnds = v128.or(i8x16.eq(v, i8x16.splat(0x0a)), i8x16.eq(v, i8x16.splat(0x0d)));
  return v128.bitselect(i8x16.splat(0x20), v, lineEnds);
}

/**
 * Copies JSON text as one line: line ends, which are only white space there, become spaces. Like
 * `copyWide`, it may read and write up to 63 bytes past the end.
 */
@inline
function copyJson(target: usize, source: usize, length: usize): usize {
  for (let i: usize = 0; i < length; i += 64) {
    v128.store(target + i, inLine(v128.load(source + i)));
    v128.store(target + i, inLine(v128.load(source + i, 16)), 16);
    v128.store(target + i, inLine(v128.load(source + i, 32)), 32);
    v128.store(target + i, inLine(v128.load(source + i, 48)), 48);
  }
  return target + length;
}

/**
 * Returns an upper bound of the bytes of the line of `row`, including the bytes that are
 * overwritten after it.
 */
@inline
export function lineBytesMax(layout: TextLayout, columns: usize, row: i32): usize {
  let bytes: usize = LINE_OVERHEAD + layout.keyBytes;
  for (let at = layout.fields; at < layout.fieldsEnd; at += offsetof<TextField>()) {
    const field = changetype<TextField>(at);
    if (field.kind == FIELD_TIMESTAMP) continue;
    const cells = columnAt(columns, field.column);
    if (cells.kind(row) == KIND_NULL) continue;
    bytes += field.kind == FIELD_TEXT ? cells.length(row) * 6 + 1 : cells.length(row);
  }
  return bytes;
}

/** Returns the bytes of the line of `row`; up to 32 bytes at `scratch` are overwritten. */
export function lineBytes(
  layout: TextLayout,
  columns: usize,
  timestamp: f64,
  row: i32,
  scratch: usize,
): usize {
  let bytes: usize = 2;
  for (let at = layout.fields; at < layout.fieldsEnd; at += offsetof<TextField>()) {
    const field = changetype<TextField>(at);
    if (field.kind == FIELD_TIMESTAMP) {
      bytes += <usize>field.keyLength;
      bytes += writeTime(timestamp, layout.unitMs, scratch) - scratch;
      if (layout.unitMs == 0) bytes++;
      continue;
    }
    const cells = columnAt(columns, field.column);
    if (cells.kind(row) == KIND_NULL) continue;
    bytes += field.keyLength;
    if (field.kind == FIELD_TEXT) bytes += 1 + <usize>escapedBytes(cells.start(row), cells.length(row));
    else bytes += cells.length(row);
  }
  return bytes;
}

/** Returns an upper bound of the bytes of the line of `row`. `address` as of `encodeLines`. */
export function measureLine(address: usize, row: i32): usize {
  const encoding = changetype<TextEncoding>(address);
  return lineBytesMax(encoding.layout, encoding.columns, row);
}

/**
 * Writes the line of `row` and returns the address after it; up to 63 bytes after it are
 * overwritten.
 */
@inline
export function writeLine(
  layout: TextLayout,
  columns: usize,
  timestamp: f64,
  row: i32,
  target: usize,
): usize {
  let t = target;
  const end = layout.fieldsEnd;
  for (let at = layout.fields; at < end; at += offsetof<TextField>()) {
    const field = changetype<TextField>(at);
    const kind = field.kind;
    if (kind == FIELD_TIMESTAMP) {
      t = copyLoose(t, field.key, field.keyLength);
      t = writeTime(timestamp, layout.unitMs, t);
      if (layout.unitMs == 0) store<u8>(t++, 0x22);
      continue;
    }
    const cells = columnAt(columns, field.column);
    if (cells.kind(row) == KIND_NULL) continue;
    t = copyLoose(t, field.key, field.keyLength);
    if (kind == FIELD_TEXT) {
      t = escapeShort(cells.start(row), cells.length(row), t);
      store<u8>(t++, 0x22);
    } else {
      t = copyJson(t, cells.start(row), cells.length(row));
    }
  }
  // Each member begins with a comma.
  store<u8>(target, 0x7b);
  store<u16>(t, 0x0a7d);
  return t + 2;
}

/** Made in src/sinks/row-texts.ts: rows that are encoded as text, and how far that has come. */
@unmanaged
export class TextEncoding {
  layout: TextLayout;
  /** Addresses of the columns of a row buffer. */
  columns: usize;
  /** Doubles. */
  timestamps: usize;
  /** u32 row numbers. */
  order: usize;
  target: usize;
  bytesMax: u32;
  /** Not 0: cells that a spreadsheet would run begin with `'`. */
  safe: u32;
  /** The index in `order` after the last row written. */
  next: i32;
  /** Bytes that were written. */
  bytes: u32;
}

/**
 * Writes the rows at the order's indexes [from, to) as lines, as many as are sure to fit into `bytesMax`.
 * `address` is that of a `TextEncoding`, whose values are JSON tokens.
 */
export function encodeLines(address: usize, from: i32, to: i32): void {
  const encoding = changetype<TextEncoding>(address);
  const layout = encoding.layout;
  const columns = encoding.columns;
  const timestamps = encoding.timestamps;
  const order = encoding.order;
  const end = encoding.target + encoding.bytesMax;
  let t = encoding.target;
  let place = from;
  for (; place < to; place++) {
    const row = load<i32>(order + ((<usize>place) << 2));
    if (t + lineBytesMax(layout, columns, row) > end) break;
    const timestamp = load<f64>(timestamps + ((<usize>row) << 3));
    t = writeLine(layout, columns, timestamp, row, t);
  }
  encoding.next = place;
  encoding.bytes = <u32>(t - encoding.target);
}
