// From Arrow arrays in kernel memory to cells: texts are pointed at, everything else is written.
import {
  clearFault, endWritingAt, fault, isNotANumber, writeJson, writeScalar,
} from "./arrow-json";
import { INVALID_UTF8 } from "../reject-codes";
import {
  ArrowNode, NULL, BOOLEAN, INT32, INT64, UINT32, UINT64, HALF, FLOAT, DOUBLE, TEXT, DECIMAL32,
  DECIMAL64, FIXED_DECIMAL, DECIMAL, STRUCT, LIST, MAP,
} from "./arrow-node";
import {
  Column, KIND_ARRAY, KIND_BOOLEAN, KIND_NULL, KIND_NUMBER, KIND_OBJECT, KIND_STRING,
} from "../column";
import { isAscii, validateUtf8 } from "../utf8";

/**
 * Points a column at the texts of `rows` rows. Texts that are no UTF-8 become null, and their row
 * gets its fault; a node with option 1 has none of them.
 */
export function pointTexts(node: ArrowNode, rows: u32, column: Column, faults: usize): void {
  const sound = node.starts != 0
    ? node.option != 0
    : isAscii(node.data, node.data + <usize>node.offset(rows));
  for (let row: u32 = 0; row < rows; row++) {
    const start = node.start(row);
    const length = node.length(row);
    let kind = node.valid(row) ? KIND_STRING : KIND_NULL;
    if (!sound && kind == KIND_STRING && validateUtf8(start, start + length) == 0) {
      store<u8>(faults + <usize>row, <u8>INVALID_UTF8);
      kind = KIND_NULL;
    }
    column.set(row, kind, start, length);
  }
}

/**
 * Writes the cells of `rows` rows to `target`, with `json` as JSON, else texts without quotes, and
 * returns the address after them.
 */
export function writeCells(
  node: ArrowNode, rows: u32, json: bool, column: Column, faults: usize, target: usize,
): usize {
  const kind = kindOf(node);
  for (let row: u32 = 0; row < rows; row++) {
    if (!node.valid(row) || isNotANumber(node, row)) {
      column.set(row, KIND_NULL, target, 0);
      continue;
    }
    clearFault();
    const end = json ? writeJson(node, row, target) : writeScalar(node, row, target);
    if (fault != 0) store<u8>(faults + <usize>row, <u8>fault);
    column.set(row, fault != 0 ? KIND_NULL : kind, target, end - target);
    target = end;
  }
  return target;
}

/** Cells become null where the struct that they are members of is null. */
export function maskCells(node: ArrowNode, rows: u32, column: Column): void {
  if (node.validity == 0 && node.levels == 0) return;
  for (let row: u32 = 0; row < rows; row++) {
    if (!node.valid(row)) store<u8>(column.kinds + <usize>row, <u8>KIND_NULL);
  }
}

/** Cells become null where their row has a fault. */
export function dropFaulty(faults: usize, rows: u32, column: Column): void {
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u8>(faults + <usize>row) != 0) store<u8>(column.kinds + <usize>row, <u8>KIND_NULL);
  }
}

/**
 * Writes one row's value as JSON, also where its texts are no UTF-8; returns the address after it.
 * Of what is longer than `bytesMax` that many bytes are right, and not much more is written: see
 * `endWritingAt`.
 */
export function writeRow(node: ArrowNode, row: u32, target: usize, bytesMax: usize): usize {
  endWritingAt(target + bytesMax);
  const end = writeJson(node, row, target);
  endWritingAt(usize.MAX_VALUE);
  return end;
}

/** Bytes that the inside of a JSON string takes for `length` bytes of text, at the most. */
export function escapedSize(start: usize, length: usize): f64 {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let extra: u64 = 0;
  const end = start + length;
  for (let p = start; p < end; p += 16) {
    const v = v128.load(p);
    const slashed = v128.or(i8x16.eq(v, quote), i8x16.eq(v, backslash));
    extra += <u64>popcnt(i8x16.bitmask(slashed));
    extra += <u64>popcnt(i8x16.bitmask(i8x16.lt_u(v, space))) * 5;
  }
  return <f64>length + <f64>extra;
}

/** `escapedSize` of all texts of a list-view together: more than an address where many are the same. */
export function escapedSizes(node: ArrowNode, rows: u32): f64 {
  let size: f64 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (node.valid(row)) size += escapedSize(node.start(row), node.length(row));
  }
  return size;
}

function kindOf(node: ArrowNode): u32 {
  switch (node.type) {
    case BOOLEAN:
      return KIND_BOOLEAN;
    case INT32:
    case INT64:
    case UINT32:
    case UINT64:
    case HALF:
    case FLOAT:
    case DOUBLE:
    case DECIMAL32:
    case DECIMAL64:
    case FIXED_DECIMAL:
    case DECIMAL:
      return KIND_NUMBER;
    case STRUCT:
      return KIND_OBJECT;
    case LIST:
      return KIND_ARRAY;
    case MAP:
      return node.child(0).type == TEXT ? KIND_OBJECT : KIND_ARRAY;
    case NULL:
      return KIND_NULL;
    default:
      return KIND_STRING;
  }
}
