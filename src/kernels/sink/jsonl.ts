// Events as newline-delimited JSON:
// `{"event":…,"timestamp":…,"user":…,"metadata":…[,"value":…][,"insertID":…]}`.

import { Column, KIND_NULL } from "../column";
import { writeInteger } from "../decimal";
import { escapedBytes, escapeShort } from "../json/json-value";

/**
 * Bytes of a line in addition to its cells: the keys, the digits of the timestamp, loose stores.
 */
const LINE_OVERHEAD: usize = 144;

// {"event":"
const EVENT_KEY: usize = memory.data<u8>([
  0x7b, 0x22, 0x65, 0x76, 0x65, 0x6e, 0x74, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0,
]);
// ","timestamp":
const TIMESTAMP_KEY: usize = memory.data<u8>([
  0x22, 0x2c, 0x22, 0x74, 0x69, 0x6d, 0x65, 0x73, 0x74, 0x61, 0x6d, 0x70, 0x22, 0x3a, 0, 0,
]);
// ,"user":
const USER_KEY: usize = memory.data<u8>([
  0x2c, 0x22, 0x75, 0x73, 0x65, 0x72, 0x22, 0x3a, 0, 0, 0, 0, 0, 0, 0, 0,
]);
// ,"metadata":
const METADATA_KEY: usize = memory.data<u8>([
  0x2c, 0x22, 0x6d, 0x65, 0x74, 0x61, 0x64, 0x61, 0x74, 0x61, 0x22, 0x3a, 0, 0, 0, 0,
]);
// ,"value":
const VALUE_KEY: usize = memory.data<u8>([
  0x2c, 0x22, 0x76, 0x61, 0x6c, 0x75, 0x65, 0x22, 0x3a, 0, 0, 0, 0, 0, 0, 0,
]);
// ,"insertID":"
const INSERT_ID_KEY: usize = memory.data<u8>([
  0x2c, 0x22, 0x69, 0x6e, 0x73, 0x65, 0x72, 0x74, 0x49, 0x44, 0x22, 0x3a, 0x22, 0, 0, 0,
]);

/** The columns of a line, by the addresses in `TextEncoding.columns`. */
@unmanaged
export class LineColumns {
  event: Column;
  userID: Column;
  stableID: Column;
  value: Column;
  user: Column;
  metadata: Column;
  /** 0 if lines have no insert ids. */
  insertID: usize;
}

/** Returns whether the event of `row` has an insert id. */
@inline
function hasInsertID(columns: LineColumns, row: i32): bool {
  return columns.insertID != 0 && changetype<Column>(columns.insertID).kind(row) != KIND_NULL;
}

@inline
function writeKey(target: usize, key: usize, length: usize): usize {
  v128.store(target, v128.load(key));
  return target + length;
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
export function lineBytesMax(columns: LineColumns, row: i32): usize {
  let bytes = LINE_OVERHEAD + columns.event.length(row) * 6;
  bytes += columns.user.length(row) + columns.metadata.length(row);
  if (columns.value.kind(row) != KIND_NULL) bytes += columns.value.length(row);
  if (hasInsertID(columns, row)) bytes += changetype<Column>(columns.insertID).length(row) * 6;
  return bytes;
}

/** Returns the bytes of the line of `row`; up to 32 bytes at `scratch` are overwritten. */
export function lineBytes(columns: LineColumns, timestamp: f64, row: i32, scratch: usize): usize {
  const event = columns.event;
  const value = columns.value;
  const digits = writeInteger(scratch, <i64>timestamp) - scratch;
  let bytes: usize = 46 + <usize>escapedBytes(event.start(row), event.length(row)) + digits;
  bytes += columns.user.length(row) + columns.metadata.length(row);
  if (value.kind(row) != KIND_NULL) bytes += 9 + value.length(row);
  if (hasInsertID(columns, row)) {
    const ids = changetype<Column>(columns.insertID);
    bytes += 14 + <usize>escapedBytes(ids.start(row), ids.length(row));
  }
  return bytes;
}

/** Returns an upper bound of the bytes of the line of `row`. `columns` as in `TextEncoding`. */
export function measureLine(columns: usize, row: i32): usize {
  return lineBytesMax(changetype<LineColumns>(columns), row);
}

/**
 * Writes the line of `row` and returns the address after it; up to 63 bytes after it are
 * overwritten.
 */
@inline
export function writeLine(columns: LineColumns, timestamp: f64, row: i32, target: usize): usize {
  const event = columns.event;
  const value = columns.value;
  let t = writeKey(target, EVENT_KEY, 10);
  t = escapeShort(event.start(row), event.length(row), t);
  t = writeKey(t, TIMESTAMP_KEY, 14);
  t = writeInteger(t, <i64>timestamp);
  t = writeKey(t, USER_KEY, 8);
  t = copyJson(t, columns.user.start(row), columns.user.length(row));
  t = writeKey(t, METADATA_KEY, 12);
  t = copyJson(t, columns.metadata.start(row), columns.metadata.length(row));
  if (value.kind(row) != KIND_NULL) {
    t = writeKey(t, VALUE_KEY, 9);
    t = copyJson(t, value.start(row), value.length(row));
  }
  if (hasInsertID(columns, row)) {
    const ids = changetype<Column>(columns.insertID);
    t = writeKey(t, INSERT_ID_KEY, 13);
    t = escapeShort(ids.start(row), ids.length(row), t);
    store<u8>(t++, 0x22);
  }
  store<u16>(t, 0x0a7d);
  return t + 2;
}

/** Made in src/sinks/row-texts.ts: rows that are encoded as text, and how far that has come. */
@unmanaged
export class TextEncoding {
  /** Addresses of event, userID, stableID, value, user, metadata and insertID; 0 for none. */
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
  const columns = changetype<LineColumns>(encoding.columns);
  const timestamps = encoding.timestamps;
  const order = encoding.order;
  const end = encoding.target + encoding.bytesMax;
  let t = encoding.target;
  let place = from;
  for (; place < to; place++) {
    const row = load<i32>(order + ((<usize>place) << 2));
    if (t + lineBytesMax(columns, row) > end) break;
    const timestamp = load<f64>(timestamps + ((<usize>row) << 3));
    t = writeLine(columns, timestamp, row, t);
  }
  encoding.next = place;
  encoding.bytes = <u32>(t - encoding.target);
}
