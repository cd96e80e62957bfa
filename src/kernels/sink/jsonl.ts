// Events as newline-delimited JSON: `{"event":…,"timestamp":…,"user":…,"metadata":…[,"value":…]}`.

import { Column, KIND_NULL } from "../column";
import { writeInteger } from "../decimal";
import { escapedBytes, escapeShort } from "../json/json-value";

/**
 * Bytes of a line in addition to its cells: the keys, the digits of the timestamp, loose stores.
 */
const LINE_OVERHEAD: usize = 128;

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
export function lineBytesMax(event: Column, value: Column, user: Column, metadata: Column, row: i32): usize {
  let bytes = LINE_OVERHEAD + event.length(row) * 6 + user.length(row) + metadata.length(row);
  if (value.kind(row) != KIND_NULL) bytes += value.length(row);
  return bytes;
}

/** Returns the bytes of the line of `row`; up to 32 bytes at `scratch` are overwritten. */
export function lineBytes(
  event: Column,
  value: Column,
  user: Column,
  metadata: Column,
  timestamp: f64,
  row: i32,
  scratch: usize,
): usize {
  const digits = writeInteger(scratch, <i64>timestamp) - scratch;
  const keys: usize = value.kind(row) == KIND_NULL ? 46 : 55;
  const valueBytes = value.kind(row) == KIND_NULL ? <usize>0 : value.length(row);
  const name = <usize>escapedBytes(event.start(row), event.length(row));
  return keys + name + digits + user.length(row) + metadata.length(row) + valueBytes;
}

/** Returns an upper bound of the bytes of the line of `row`. `columns` as in `TextEncoding`. */
export function measureLine(columns: usize, row: i32): usize {
  return lineBytesMax(
    changetype<Column>(<usize>load<u32>(columns)),
    changetype<Column>(<usize>load<u32>(columns, 12)),
    changetype<Column>(<usize>load<u32>(columns, 16)),
    changetype<Column>(<usize>load<u32>(columns, 20)),
    row,
  );
}

/**
 * Writes the line of `row` and returns the address after it; up to 63 bytes after it are
 * overwritten.
 */
@inline
export function writeLine(
  event: Column,
  value: Column,
  user: Column,
  metadata: Column,
  timestamp: f64,
  row: i32,
  target: usize,
): usize {
  let t = writeKey(target, EVENT_KEY, 10);
  t = escapeShort(event.start(row), event.length(row), t);
  t = writeKey(t, TIMESTAMP_KEY, 14);
  t = writeInteger(t, <i64>timestamp);
  t = writeKey(t, USER_KEY, 8);
  t = copyJson(t, user.start(row), user.length(row));
  t = writeKey(t, METADATA_KEY, 12);
  t = copyJson(t, metadata.start(row), metadata.length(row));
  if (value.kind(row) != KIND_NULL) {
    t = writeKey(t, VALUE_KEY, 9);
    t = copyJson(t, value.start(row), value.length(row));
  }
  store<u16>(t, 0x0a7d);
  return t + 2;
}

/** Made in src/sinks/row-texts.ts: rows that are encoded as text, and how far that has come. */
@unmanaged
export class TextEncoding {
  /** Addresses of event, userID, stableID, value, user and metadata. */
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
  const columns = encoding.columns;
  const timestamps = encoding.timestamps;
  const order = encoding.order;
  const event = changetype<Column>(<usize>load<u32>(columns));
  const value = changetype<Column>(<usize>load<u32>(columns, 12));
  const user = changetype<Column>(<usize>load<u32>(columns, 16));
  const metadata = changetype<Column>(<usize>load<u32>(columns, 20));
  const end = encoding.target + encoding.bytesMax;
  let t = encoding.target;
  let place = from;
  for (; place < to; place++) {
    const row = load<i32>(order + ((<usize>place) << 2));
    if (t + lineBytesMax(event, value, user, metadata, row) > end) break;
    const timestamp = load<f64>(timestamps + ((<usize>row) << 3));
    t = writeLine(event, value, user, metadata, timestamp, row, t);
  }
  encoding.next = place;
  encoding.bytes = <u32>(t - encoding.target);
}
