// Values of nested columns as JSON. Every writer takes the address to write to and returns the address
// after it. `jsonSize` in src/batch/nested-size.ts computes the room that they need.

import {
  NestedNode, NULL, BOOLEAN, INT32, INT64, UINT32, UINT64, HALF, FLOAT, DOUBLE, TEXT, HEX,
  FIXED_HEX, UUID, DATE, TIME32, TIME64, TIMESTAMP, DECIMAL32, DECIMAL64, FIXED_DECIMAL, DECIMAL,
  INTERVAL, STRUCT, LIST, MAP, INT96,
} from "./nested-node";
import { writeInteger } from "../decimal";
import { escapeString } from "../json/json-value";
import {
  halfToDouble, writeDecimal, writeDecimalBytes, writeDouble, writeUnsigned,
} from "./number-text";
import { INVALID_UTF8, MALFORMED_ROW } from "../reject-codes";
import { writeDate, writeInt96, writeInterval, writeTime, writeTimestamp } from "./time-text";
import { validateUtf8 } from "../utf8";

/** Reject code of what was written since `clearFault`, or 0. */
export let fault: u32 = 0;

export function clearFault(): void {
  fault = 0;
}

/** Nothing is begun from this address on. */
let writeEnd: usize = usize.MAX_VALUE;

/**
 * Leaves out values, members and elements from `end` on, and cuts a byte string before it to the bytes
 * that are left. Only one escaped string and the brackets of open objects and lists go beyond `end`.
 */
export function endWritingAt(end: usize): void {
  writeEnd = end;
}

@inline
function cut(length: usize, p: usize): usize {
  return min(length, writeEnd - p);
}

@inline
function doubleAt(node: NestedNode, row: u32): f64 {
  if (node.type == DOUBLE) return load<f64>(node.start(row));
  if (node.type == FLOAT) return <f64>load<f32>(node.start(row));
  return halfToDouble(load<u16>(node.start(row)));
}

/** JSON has no NaN and no infinities: they are null. */
export function isNotANumber(node: NestedNode, row: u32): bool {
  if (node.type < HALF || node.type > DOUBLE) return false;
  const value = doubleAt(node, row);
  return value - value != 0;
}

/** Writes a value as JSON and returns the address after it. */
export function writeJson(node: NestedNode, row: u32, p: usize): usize {
  if (p >= writeEnd) return p;
  if (!node.valid(row) || isNotANumber(node, row)) return writeNull(p);
  switch (node.type) {
    case NULL:
      return writeNull(p);
    case TEXT:
      return writeText(node, row, p);
    case STRUCT:
      return writeStruct(node, row, p);
    case LIST:
      return writeList(node, row, p);
    case MAP:
      return writeMap(node, row, p);
    case HEX:
    case FIXED_HEX:
    case UUID:
    case DATE:
    case TIME32:
    case TIME64:
    case TIMESTAMP:
    case INT96:
    case INTERVAL:
      store<u8>(p, 0x22);
      p = writeScalar(node, row, p + 1);
      store<u8>(p, 0x22);
      return p + 1;
    default:
      return writeScalar(node, row, p);
  }
}

@inline
function writeNull(p: usize): usize {
  store<u32>(p, 0x6c6c756e);
  return p + 4;
}

function writeText(node: NestedNode, row: u32, p: usize): usize {
  const start = node.start(row);
  const length = cut(node.length(row), p);
  if (validateUtf8(start, start + length) == 0) fault = INVALID_UTF8;
  store<u8>(p, 0x22);
  p = escapeString(start, length, p + 1);
  store<u8>(p, 0x22);
  return p + 1;
}

function writeStruct(node: NestedNode, row: u32, p: usize): usize {
  store<u8>(p++, 0x7b);
  const first = p;
  for (let i: u32 = 0; i < node.childCount && p < writeEnd; i++) {
    const child = node.child(i);
    if (node.option != 0 && (!child.valid(row) || isNotANumber(child, row))) continue;
    if (node.option != 0 && child.type == NULL) continue;
    if (p != first) store<u8>(p++, 0x2c);
    memory.copy(p, child.name, child.nameLength);
    p = writeJson(child, row, p + <usize>child.nameLength);
  }
  store<u8>(p, 0x7d);
  return p + 1;
}

function writeList(node: NestedNode, row: u32, p: usize): usize {
  const child = node.child(0);
  const end = node.offset(row + 1);
  store<u8>(p++, 0x5b);
  let i = node.offset(row);
  for (; i < end && p < writeEnd; i++) {
    p = writeJson(child, i, p);
    store<u8>(p++, 0x2c);
  }
  if (i != end) return p;
  if (node.offset(row) != end) p--;
  store<u8>(p, 0x5d);
  return p + 1;
}

function writeMap(node: NestedNode, row: u32, p: usize): usize {
  const key = node.child(0);
  const value = node.child(1);
  const end = node.offset(row + 1);
  const object = key.type == TEXT;
  store<u8>(p++, object ? 0x7b : 0x5b);
  let i = node.offset(row);
  for (; i < end && p < writeEnd; i++) {
    if (!object) store<u8>(p++, 0x5b);
    if (object && !key.valid(i)) {
      fault = MALFORMED_ROW;
      return p;
    }
    p = writeJson(key, i, p);
    store<u8>(p++, object ? 0x3a : 0x2c);
    p = writeJson(value, i, p);
    if (!object) store<u8>(p++, 0x5d);
    store<u8>(p++, 0x2c);
  }
  if (i != end) return p;
  if (node.offset(row) != end) p--;
  store<u8>(p, object ? 0x7d : 0x5d);
  return p + 1;
}

/** Writes a value that is neither a text nor nested, as a cell has it. */
export function writeScalar(node: NestedNode, row: u32, p: usize): usize {
  switch (node.type) {
    case BOOLEAN: {
      const on = node.bool(row);
      store<u32>(p, on ? 0x65757274 : 0x736c6166);
      if (on) return p + 4;
      store<u8>(p, 0x65, 4);
      return p + 5;
    }
    case INT32:
      return writeInteger(p, <i64>node.int32(row));
    case INT64:
      return writeInteger(p, node.int64(row));
    case UINT32:
      return writeUnsigned(<u64>load<u32>(node.start(row)), p);
    case UINT64:
      return writeUnsigned(<u64>node.int64(row), p);
    case HALF:
    case FLOAT:
      return writeDouble(doubleAt(node, row), true, p);
    case DOUBLE:
      return writeDouble(doubleAt(node, row), false, p);
    case DATE:
      return writeDate(<i64>node.int32(row), p);
    case TIME32:
      return writeTime(<i64>node.int32(row), node.width, p);
    case TIME64:
      return writeTime(node.int64(row), node.width, p);
    case TIMESTAMP:
      return writeTimestamp(node.int64(row), node.width, node.option != 0, p);
    case INT96:
      return writeInt96(node.start(row), p);
    case DECIMAL32:
      return writeDecimal(<i64>node.int32(row), node.option, p);
    case DECIMAL64:
      return writeDecimal(node.int64(row), node.option, p);
    case FIXED_DECIMAL:
      return writeBigDecimal(node.start(row), <usize>node.width, node.option, p);
    case DECIMAL:
      return writeBigDecimal(node.start(row), node.length(row), node.option, p);
    case INTERVAL:
      return writeInterval(node.start(row), p);
    case UUID:
      return writeUuid(node.start(row), p);
    case FIXED_HEX:
      return writeHex(node.start(row), <usize>node.width, p);
    case HEX:
      return writeHex(node.start(row), cut(node.length(row), p), p);
    default:
      return p;
  }
}

function writeBigDecimal(start: usize, width: usize, scale: u32, p: usize): usize {
  const end = writeDecimalBytes(start, width, scale, p);
  if (end != 0) return end;
  fault = MALFORMED_ROW;
  return p;
}

@inline
function hexDigit(value: u32): u8 {
  return <u8>(value < 10 ? 0x30 + value : 0x57 + value);
}

function writeHex(start: usize, length: usize, p: usize): usize {
  for (let i: usize = 0; i < length; i++) {
    const byte = <u32>load<u8>(start + i);
    store<u8>(p, hexDigit(byte >> 4));
    store<u8>(p, hexDigit(byte & 15), 1);
    p += 2;
  }
  return p;
}

function writeUuid(start: usize, p: usize): usize {
  for (let i: usize = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) store<u8>(p++, 0x2d);
    p = writeHex(start + i, 1, p);
  }
  return p;
}
