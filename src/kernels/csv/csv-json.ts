// Makes JSON of cells that have no types: every cell becomes a JSON string.

import { Column, KIND_NULL, KIND_OBJECT, KIND_STRING } from "../column";
import { escapeString } from "../json/json-value";
import { copyLoose } from "../utf8";

/** Returns the bytes that the cells of rows [0, rows) take as JSON strings with quotes. */
export function quotedCellBytes(source: usize, rows: i32): usize {
  const column = changetype<Column>(source);
  let total: usize = 0;
  for (let row = 0; row < rows; row++) {
    if (column.kind(row) == KIND_NULL) continue;
    const start = column.start(row);
    const length = column.length(row);
    total += length + 2 + escapesIn(start, start + length);
  }
  return total;
}

/** Returns the bytes that `escapeString` adds to [p, end): up to five for each character. */
function escapesIn(p: usize, end: usize): usize {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let added: usize = 0;
  for (; p < end; p += 16) {
    const v = v128.load(p);
    const inside: u32 = end - p < 16 ? (<u32>1 << <u32>(end - p)) - 1 : 0xffff;
    const short = i8x16.bitmask(v128.or(i8x16.eq(v, quote), i8x16.eq(v, backslash)));
    const long = i8x16.bitmask(i8x16.lt_u(v, space));
    added += <usize>(popcnt(short & inside) + 5 * popcnt(long & inside));
  }
  return added;
}

@inline
function writeQuoted(column: Column, row: i32, target: usize): usize {
  store<u8>(target, 0x22);
  const t = escapeString(column.start(row), column.length(row), target + 1);
  store<u8>(t, 0x22);
  return t + 1;
}

/**
 * Writes the cells of `source` as JSON strings from `t` on and points `target` at them; null stays
 * null. Takes `quotedCellBytes` and writes up to 16 loose bytes after them. Returns the address
 * after the last one.
 */
export function quoteCells(source: usize, target: usize, rows: i32, t: usize): usize {
  const from = changetype<Column>(source);
  const to = changetype<Column>(target);
  for (let row = 0; row < rows; row++) {
    if (from.kind(row) == KIND_NULL) {
      to.set(row, KIND_NULL, 0, 0);
      continue;
    }
    const start = t;
    t = writeQuoted(from, row, t);
    to.set(row, KIND_STRING, start, t - start);
  }
  return t;
}

/** A column that becomes a member of an object; laid out by src/readers/csv/field-columns.ts. */
@unmanaged
class JoinedMember {
  column: usize;
  /** A comma, the member's name as a JSON string, a colon. */
  name: usize;
  nameLength: u32;
}

/**
 * Writes for each readable row an object of the cells of `count` members from `t` on, without null
 * members. Takes the members' `quotedCellBytes`, their names and 2 bytes for each row, and writes
 * up to 16 loose bytes after them. Returns the address after the last one.
 */
export function joinCells(
  members: usize, count: i32, faults: usize, target: usize, rows: i32, t: usize,
): usize {
  const to = changetype<Column>(target);
  for (let row = 0; row < rows; row++) {
    if (load<u8>(faults + <usize>row) != 0) {
      to.set(row, KIND_NULL, 0, 0);
      continue;
    }
    const start = t;
    for (let index = 0; index < count; index++) {
      const member = changetype<JoinedMember>(members + <usize>index * offsetof<JoinedMember>());
      const column = changetype<Column>(member.column);
      if (column.kind(row) == KIND_NULL) continue;
      t = copyLoose(t, member.name, <usize>member.nameLength);
      t = writeQuoted(column, row, t);
    }
    // The brace replaces the first member's comma.
    if (t == start) t++;
    store<u8>(start, 0x7b);
    store<u8>(t++, 0x7d);
    to.set(row, KIND_OBJECT, start, t - start);
  }
  return t;
}
