// Makes cells of nested columns: a text is pointed at, everything else is written.
import {
  clearFault, endWritingAt, fault, isNotANumber, writeJson, writeScalar,
} from "./nested-json";
import { INVALID_UTF8 } from "../reject-codes";
import {
  NestedNode, NULL, BOOLEAN, INT32, INT64, UINT32, UINT64, HALF, FLOAT, DOUBLE, TEXT, DECIMAL32,
  DECIMAL64, FIXED_DECIMAL, DECIMAL, STRUCT, LIST, MAP,
} from "./nested-node";
import {
  Column, KIND_ARRAY, KIND_BOOLEAN, KIND_NULL, KIND_NUMBER, KIND_OBJECT, KIND_STRING,
} from "../column";
import { validateUtf8 } from "../utf8";

/** Points a column at the texts of `rows` rows. A text that is not UTF-8 gives null and a fault. */
export function pointTexts(node: NestedNode, rows: u32, column: Column, faults: usize): void {
  const sound = node.option != 0;
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
 * Writes the cells of `rows` rows to `target` and returns the address after them. Cells are JSON with
 * `json`, else texts without quotes.
 */
export function writeCells(
  node: NestedNode, rows: u32, json: bool, column: Column, faults: usize, target: usize,
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

/** Makes cells null where the struct that they are members of is null. */
export function maskCells(node: NestedNode, rows: u32, column: Column): void {
  if (node.levels == 0) return;
  for (let row: u32 = 0; row < rows; row++) {
    if (!node.valid(row)) store<u8>(column.kinds + <usize>row, <u8>KIND_NULL);
  }
}

/**
 * Makes cells null where `first` has a text that is not empty, and adds the faults of the other rows at
 * `own` to those at `faults`.
 */
export function keepFallback(
  first: Column, rows: u32, column: Column, own: usize, faults: usize,
): void {
  for (let row: u32 = 0; row < rows; row++) {
    if (first.kind(row) == KIND_STRING && first.length(row) != 0) {
      store<u8>(column.kinds + <usize>row, <u8>KIND_NULL);
    } else if (load<u8>(own + <usize>row) != 0) {
      store<u8>(faults + <usize>row, load<u8>(own + <usize>row));
    }
  }
}

/** Makes cells null where their row has a fault. */
export function dropFaulty(faults: usize, rows: u32, column: Column): void {
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u8>(faults + <usize>row) != 0) store<u8>(column.kinds + <usize>row, <u8>KIND_NULL);
  }
}

/**
 * Writes one row's value as JSON, even if its texts are not UTF-8, and returns the address after it.
 * Only the first `bytesMax` bytes are right; not much more is written (see `endWritingAt`).
 */
export function writeRow(node: NestedNode, row: u32, target: usize, bytesMax: usize): usize {
  endWritingAt(target + bytesMax);
  const end = writeJson(node, row, target);
  endWritingAt(usize.MAX_VALUE);
  return end;
}

/** Returns an upper bound of the bytes that a text takes inside a JSON string. */
function escapedSize(start: usize, length: usize): f64 {
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

/** Sums `escapedSize` over all rows: more than fits an address where many rows share a text. */
export function escapedSizes(node: NestedNode, rows: u32): f64 {
  let size: f64 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (node.valid(row)) size += escapedSize(node.start(row), node.length(row));
  }
  return size;
}

function kindOf(node: NestedNode): u32 {
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
