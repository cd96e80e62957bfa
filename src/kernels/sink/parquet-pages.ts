// Parts of Parquet data pages (format v1), from columns of a row buffer through an order of its
// rows. https://parquet.apache.org/docs/file-format/data-pages/encodings/

import { Column, KIND_NULL, rowAt } from "../column";
import { copyWide } from "../utf8";
import { inUnit } from "./jsonl";

/**
 * Writes how many of the rows at `order` [from, to) make a page of PLAIN byte arrays of at most
 * `bytesMax`, at least one row. Writes to `result` as u32: the index in `order` after the last row,
 * the bytes of the values with their lengths, and the number of nulls.
 */
export function measurePlain(
  column: usize,
  order: usize,
  from: i32,
  to: i32,
  bytesMax: usize,
  result: usize,
): void {
  const cells = changetype<Column>(column);
  let bytes: usize = 0;
  let nulls: u32 = 0;
  let place = from;
  for (; place < to; place++) {
    const row = rowAt(order, place);
    if (cells.kind(row) == KIND_NULL) {
      nulls++;
      continue;
    }
    const more = bytes + 4 + cells.length(row);
    if (more > bytesMax && place > from) break;
    bytes = more;
  }
  store<u32>(result, <u32>place);
  store<u32>(result, <u32>bytes, 4);
  store<u32>(result, nulls, 8);
}

/**
 * Writes the values that are not null as PLAIN byte arrays; up to 63 bytes past the end are
 * overwritten.
 */
export function encodePlain(
  column: usize,
  order: usize,
  from: i32,
  to: i32,
  target: usize,
): usize {
  const cells = changetype<Column>(column);
  for (let place = from; place < to; place++) {
    const row = rowAt(order, place);
    if (cells.kind(row) == KIND_NULL) continue;
    const length = cells.length(row);
    store<u32>(target, <u32>length);
    target = copyWide(target + 4, cells.start(row), length);
  }
  return target;
}

/** Writes timestamps (doubles that are whole numbers) in units of `unitMs` as PLAIN INT64. */
export function encodeTimestamps(
  timestamps: usize,
  order: usize,
  from: i32,
  to: i32,
  target: usize,
  unitMs: u32,
): usize {
  for (let place = from; place < to; place++) {
    const row = <usize>rowAt(order, place);
    store<i64>(target, inUnit(load<f64>(timestamps + (row << 3)), unitMs));
    target += 8;
  }
  return target;
}

/**
 * Writes the definition levels of a nullable column, as a page begins with: their length as u32,
 * then 0 for null and 1 for a value in the RLE/bit-packing hybrid. `scratch` has room for a u32 per
 * row.
 */
export function encodeLevels(
  column: usize,
  order: usize,
  from: i32,
  to: i32,
  scratch: usize,
  target: usize,
): usize {
  const cells = changetype<Column>(column);
  for (let place = from; place < to; place++) {
    const level: u32 = cells.kind(rowAt(order, place)) == KIND_NULL ? 0 : 1;
    store<u32>(scratch + ((<usize>(place - from)) << 2), level);
  }
  const end = encodeHybrid(scratch, to - from, 1, 1, target + 4);
  store<u32>(target, <u32>(end - target - 4));
  return end;
}

/**
 * Writes u32 values in the RLE/bit-packing hybrid, `bitWidth` bits each (1 to 31). With `runs` 0
 * all are packed; with 1, at least 8 equal values make a run. Writes at most `hybridBytesMax`
 * bytes.
 */
export function encodeHybrid(
  values: usize,
  count: i32,
  bitWidth: u32,
  runs: i32,
  target: usize,
): usize {
  let packedFrom: i32 = 0;
  let i: i32 = 0;
  while (i < count) {
    // `i` is a whole number of groups of 8 after `packedFrom`.
    let run: i32 = 1;
    if (runs != 0) {
      const value = load<u32>(values + ((<usize>i) << 2));
      while (i + run < count && load<u32>(values + ((<usize>(i + run)) << 2)) == value) run++;
      if (run >= 8) {
        if (i > packedFrom) target = packGroups(values, packedFrom, i, bitWidth, target);
        target = writeVarint(target, (<u32>run) << 1);
        for (let bits: u32 = 0; bits < bitWidth; bits += 8) store<u8>(target++, <u8>(value >> bits));
        i += run;
        packedFrom = i;
        continue;
      }
    }
    i += 8;
  }
  if (packedFrom < count) target = packGroups(values, packedFrom, count, bitWidth, target);
  return target;
}

/** Returns the maximum of bytes that `encodeHybrid` writes. */
export function hybridBytesMax(count: i32, bitWidth: u32): usize {
  const groups = <usize>(count + 7) >> 3;
  return 16 + groups * (<usize>bitWidth + 8);
}

/** Writes one bit-packed run of values [from, to); the last group is padded with zeros. */
function packGroups(values: usize, from: i32, to: i32, bitWidth: u32, target: usize): usize {
  const groups = (to - from + 7) >> 3;
  target = writeVarint(target, ((<u32>groups) << 1) | 1);
  let bits: u64 = 0;
  let held: u32 = 0;
  for (let i = from; i < from + (groups << 3); i++) {
    const value: u64 = i < to ? <u64>load<u32>(values + ((<usize>i) << 2)) : 0;
    bits |= value << held;
    held += bitWidth;
    while (held >= 8) {
      store<u8>(target++, <u8>bits);
      bits >>= 8;
      held -= 8;
    }
  }
  return target;
}

function writeVarint(target: usize, value: u32): usize {
  while (value >= 0x80) {
    store<u8>(target++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(target++, <u8>value);
  return target;
}
