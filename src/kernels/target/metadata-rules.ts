// What a target does with the metadata of events: keys with a dot are lost, and values that are objects or
// arrays become text. Both are repaired by other keys: a member of a nested object moves to the first
// level, an array becomes its JSON as text. Most rows have neither, and finding that out must be cheap:
// `mayBreak` looks at the ends of keys only. The others are walked twice, for the bytes that they need,
// and to write them.

import { Column, KIND_OBJECT } from "../column";
import { skipValueAt } from "../json/json-nested";
import { escapedBytes, escapeString, skipSpace, skipString } from "../json/json-value";
import { TARGET_METADATA_LONG } from "../reject-codes";
import { copyLoose } from "../utf8";
import { addMark, MARK_NESTED, MARK_SIZE } from "./event-rules";
import { findRename, Rename, RenameTable, unitsOf } from "./renames";

/** Made in src/mapper/target/metadata-stage.ts. */
@unmanaged
class MetadataRules {
  /** Set if keys with a dot are lost. */
  dots: u32;
  /** Set if objects and arrays become text. */
  nested: u32;
  /** The most characters; 0 for any number. */
  unitsMax: u32;
  /** Set if keys are replaced. */
  replaces: u32;
  table: RenameTable;
  /** Room for the longest path: the names of keys as they are in JSON, with zeros between them. */
  path: usize;
  /** Set when a path is not in the table: its bytes at `path`. */
  pathBytes: u32;
  /** The next new object is written here. */
  output: usize;
  outputEnd: usize;
  /** Set when the output has no room for an object. */
  needed: u32;
}

/** Set by the walks: the marks of the row, and that a path is not known. */
let rowMarks: u32 = 0;
let isMissing: bool = false;
/** Set by takeMembers: the address after the object. */
let objectEnd: usize = 0;

@inline
function bitsOf(v: v128, c: u32): u32 {
  return <u32>i8x16.bitmask(i8x16.eq(v, i8x16.splat(<u8>c)));
}

/** Returns true if the key that ends before the quote at `close` may need a look: certain if false. */
@inline
function keyMayBreak(start: usize, close: usize): bool {
  const first = close - 16;
  const v = v128.load(first);
  const quotes = bitsOf(v, 0x22);
  if (quotes == 0 || first < start || bitsOf(v, 0x5c) != 0) return keyNeedsLook(start, close);
  // The key is after the last quote.
  const inside = ~((<u32>2 << (31 - clz(quotes))) - 1);
  const doubled = bitsOf(v, 0x5f) & bitsOf(v128.load(first, 1), 0x5f);
  const isDot = bitsOf(v, 0x5f) & bitsOf(v128.load(first, 1), 0x64);
  return ((bitsOf(v, 0x2e) | bitsOf(v, 0x7e) | doubled | isDot) & inside) != 0;
}

/** Returns true if the bytes before `close`, back to a quote, have a dot, `~`, `__`, `_d` or an escape. */
function keyNeedsLook(start: usize, close: usize): bool {
  for (let p = close - 1; p > start; p--) {
    const c = load<u8>(p);
    if (c == 0x22) return load<u8>(p - 1) == 0x5c;
    if (c == 0x2e || c == 0x7e || c == 0x5c) return true;
    if (c == 0x5f && (load<u8>(p, 1) == 0x5f || load<u8>(p, 1) == 0x64)) return true;
  }
  return false;
}

/** Returns true if an object may break a rule; false is certain. */
function mayBreak(start: usize, end: usize): bool {
  const quote = i8x16.splat(0x22);
  const colon = i8x16.splat(0x3a);
  const blank = i8x16.splat(0x20);
  for (let p = start + 1; p < end; p += 16) {
    const after = v128.load(p, 1);
    const isQuote = i8x16.eq(v128.load(p), quote);
    // White space after a quote may be before a colon.
    if (v128.any_true(v128.and(isQuote, i8x16.le_u(after, blank)))) return true;
    let ends = <u32>i8x16.bitmask(v128.and(isQuote, i8x16.eq(after, colon)));
    for (; ends != 0; ends &= ends - 1) {
      const close = p + <usize>ctz(ends);
      if (close >= end) break;
      const first = load<u8>(skipSpace(close + 2, end));
      if (first == 0x7b || first == 0x5b || keyMayBreak(start, close)) return true;
    }
  }
  return false;
}

/** Returns the entry of the path of `length` bytes; 0 if it is not known, which ends the walk. */
@inline
function renameOf(rules: MetadataRules, length: usize): usize {
  const found = findRename(rules.table, rules.path, length);
  if (found != 0) return found;
  isMissing = true;
  rules.pathBytes = <u32>length;
  return 0;
}

@inline
function isEmptyObject(p: usize, end: usize): bool {
  return load<u8>(skipSpace(p + 1, end)) == 0x7d;
}

/**
 * Takes the member at the end of a path: returns the address after it at `t`, or the bytes that it needs
 * as if `t` were an address. Writes if `writes` is set.
 */
function takeLeaf(
  rules: MetadataRules, pathBytes: usize, value: usize, valueEnd: usize, t: usize, writes: bool,
): usize {
  const found = renameOf(rules, pathBytes);
  if (found == 0) return t;
  const known = changetype<Rename>(found);
  const first = load<u8>(value);
  const isText = rules.nested != 0 && (first == 0x7b || first == 0x5b);
  const length = valueEnd - value;
  if (!writes) {
    const bytes = isText ? <usize>escapedBytes(value, length) + 2 : length;
    return t + known.newLength + bytes + 1;
  }
  const marks = known.marks | (isText ? MARK_NESTED : 0);
  rowMarks |= marks;
  if (marks != 0 || rules.replaces != 0) known.rows++;
  if (rules.replaces == 0) return t;
  store<u8>(t++, 0x2c);
  t = copyLoose(t, known.newStart, known.newLength);
  if (!isText) return copyLoose(t, value, length);
  store<u8>(t++, 0x22);
  t = escapeString(value, length, t);
  store<u8>(t++, 0x22);
  return t;
}

/** Takes the members of the object at `p`. Their keys are at `head` of the path: 0 for the first level. */
function takeMembers(
  rules: MetadataRules, head: usize, p: usize, end: usize, t: usize, writes: bool,
): usize {
  p = skipSpace(p + 1, end);
  while (load<u8>(p) != 0x7d) {
    const member = p;
    const key = p + 1;
    const close = skipString(key, end);
    const value = skipSpace(skipSpace(close + 1, end) + 1, end);
    const first = load<u8>(value);
    const isNested = rules.nested != 0 && (first == 0x7b || first == 0x5b);
    const isOpen = isNested && first == 0x7b && !isEmptyObject(value, end);
    let valueEnd: usize = 0;
    if (!isOpen) valueEnd = skipValueAt(value, end, 0);
    if (head != 0 || isNested || keyNeedsLook(key - 1, close)) {
      memory.copy(rules.path + head, key, close - key);
      const path: usize = head + (close - key);
      if (isOpen) {
        store<u8>(rules.path + path, 0);
        t = takeMembers(rules, path + 1, value, end, t, writes);
        valueEnd = objectEnd;
      } else {
        t = takeLeaf(rules, path, value, valueEnd, t, writes);
      }
      if (isMissing) return t;
    } else if (!writes) {
      t += valueEnd - member + 1;
    } else if (rules.replaces != 0) {
      store<u8>(t, 0x2c);
      t = copyLoose(t + 1, member, valueEnd - member);
    }
    p = skipSpace(valueEnd, end);
    if (load<u8>(p) == 0x2c) p = skipSpace(p + 1, end);
  }
  objectEnd = p + 1;
  return t;
}

/** Marks a row whose metadata has too many characters, and rejects it if it was to be repaired. */
function checkSize(
  rules: MetadataRules, outcomes: usize, metadata: Column, marks: usize, row: i32,
): void {
  const length = metadata.length(row);
  if (rules.unitsMax == 0 || length <= <usize>rules.unitsMax) return;
  if (unitsOf(metadata.start(row), length, false) <= <usize>rules.unitsMax) return;
  addMark(marks, row, MARK_SIZE);
  if (rules.replaces != 0) store<u8>(outcomes + <usize>row, TARGET_METADATA_LONG);
}

/**
 * Marks the delivered rows from `from` on whose metadata breaks a rule, and replaces it. Returns the first
 * row with a path that is not in the table (`pathBytes`), or for which the output has no room (`needed`),
 * or `rows`.
 */
export function takeMetadata(
  rules: MetadataRules, outcomes: usize, metadata: Column, marks: usize, from: i32, rows: i32,
): i32 {
  for (let row = from; row < rows; row++) {
    if (load<u8>(outcomes + <usize>row) != 0) continue;
    const start = metadata.start(row);
    const end = start + metadata.length(row);
    if ((rules.dots | rules.nested) != 0 && mayBreak(start, end)) {
      isMissing = false;
      const bytes = takeMembers(rules, 0, start, end, 2, false) + 64;
      if (isMissing) return row;
      if (rules.replaces != 0 && rules.output + bytes > rules.outputEnd) {
        rules.needed = <u32>bytes;
        return row;
      }
      rowMarks = 0;
      const t = rules.output;
      const after = takeMembers(rules, 0, start, end, t, true);
      if (rowMarks != 0) addMark(marks, row, rowMarks);
      if (rules.replaces != 0 && after != t) {
        // The first comma has the place of the brace.
        store<u8>(t, 0x7b);
        store<u8>(after, 0x7d);
        metadata.set(row, KIND_OBJECT, t, after + 1 - t);
        rules.output = after + 1;
      }
    }
    checkSize(rules, outcomes, metadata, marks, row);
  }
  return rows;
}
