// Finds names and values of events that a target does not take. A byte for each row marks the rules that
// it breaks; src/target/target-rules.ts has the same order.

import { Column, KIND_NULL, KIND_STRING } from "../column";
import { TARGET_VALUE_LONG } from "../reject-codes";
import { findRename, Rename, RenameTable, unitsOf } from "./renames";

export const MARK_NAME: u8 = 1;
export const MARK_VALUE: u8 = 2;
export const MARK_DOTS: u8 = 4;
export const MARK_NESTED: u8 = 8;
export const MARK_SIZE: u8 = 16;
export const MARK_USER: u8 = 32;

/** Made in src/mapper/target/name-stage.ts. */
@unmanaged
class NameRules {
  /**
   * The bytes with which a name needs a look: a bit for each upper half of them, by their lower halves, and
   * after these sixteen bytes the bit of each upper half.
   */
  classes: usize;
  bytesMax: u32;
  /** Set if names are replaced. */
  replaces: u32;
  table: RenameTable;
}

@inline
export function addMark(marks: usize, row: i32, mark: u32): void {
  store<u8>(marks + <usize>row, <u8>(load<u8>(marks + <usize>row) | mark));
}

@inline
function needsLook(rules: NameRules, start: usize, length: usize): bool {
  if (length > <usize>rules.bytesMax) return true;
  const lower = v128.load(rules.classes);
  const upper = v128.load(rules.classes, 16);
  for (let at: usize = 0; at < length; at += 16) {
    const bytes = v128.load(start + at);
    const inLower = i8x16.swizzle(lower, v128.and(bytes, i8x16.splat(0x0f)));
    const inUpper = i8x16.swizzle(upper, i8x16.shr_u(bytes, 4));
    const isNone = i8x16.eq(v128.and(inLower, inUpper), i8x16.splat(0));
    const odd = <u32>~i8x16.bitmask(isNone) & 0xffff;
    const left = length - at;
    if ((left >= 16 ? odd : odd & ((<u32>1 << (<u32>left)) - 1)) != 0) return true;
  }
  return false;
}

/**
 * Marks the delivered rows from `from` on whose name breaks a rule, and replaces it. Returns the first row
 * whose name is not in the table, or `rows`.
 */
export function takeNames(
  rules: NameRules, outcomes: usize, event: Column, marks: usize, from: i32, rows: i32,
): i32 {
  for (let row = from; row < rows; row++) {
    if (load<u8>(outcomes + <usize>row) != 0) continue;
    const start = event.start(row);
    const length = event.length(row);
    if (!needsLook(rules, start, length)) continue;
    const found = findRename(rules.table, start, length);
    if (found == 0) return row;
    const known = changetype<Rename>(found);
    if (known.newLength == 0) continue;
    known.rows++;
    addMark(marks, row, known.marks);
    if (rules.replaces != 0) event.set(row, KIND_STRING, known.newStart, known.newLength);
  }
  return rows;
}

/** Marks the delivered rows whose value has too many characters. Rejects them with `rejects`. */
export function takeValues(
  outcomes: usize, value: Column, marks: usize, rows: i32, unitsMax: u32, rejects: u32,
): void {
  for (let row: i32 = 0; row < rows; row++) {
    if (load<u8>(outcomes + <usize>row) != 0 || value.kind(row) == KIND_NULL) continue;
    let start = value.start(row);
    let length = value.length(row);
    if (length <= <usize>unitsMax) continue;
    const isText = load<u8>(start) == 0x22;
    if (isText) {
      start++;
      length -= 2;
    }
    if (unitsOf(start, length) <= <usize>unitsMax) continue;
    addMark(marks, row, MARK_VALUE);
    if (rejects != 0) store<u8>(outcomes + <usize>row, TARGET_VALUE_LONG);
  }
}

/**
 * Adds the delivered rows with each mark to eight u32 at `counts`. Then those with a mark of `lost`, and
 * those that have only other marks of `broken`.
 */
export function countMarks(
  outcomes: usize, marks: usize, rows: i32, lost: u32, broken: u32, counts: usize,
): void {
  for (let row: i32 = 0; row < rows; row++) {
    let bits = <u32>load<u8>(marks + <usize>row);
    if (bits == 0 || load<u8>(outcomes + <usize>row) != 0) continue;
    if ((bits & broken) != 0) {
      const sum = counts + ((bits & lost) != 0 ? 32 : 36);
      store<u32>(sum, load<u32>(sum) + 1);
    }
    for (; bits != 0; bits &= bits - 1) {
      const count = counts + ((<usize>ctz(bits)) << 2);
      store<u32>(count, load<u32>(count) + 1);
    }
  }
}
