// Finds metadata that a target does not take as it is: keys with a dot are lost there, and objects and
// arrays become text. Both are repaired by other keys: a member of a nested object moves to the first
// level, an array becomes its JSON as text. Most rows have neither, and finding that out must be cheap:
// `mayBreak` looks at the ends of keys only. The others are walked once. A walk that meets an unknown path,
// or the end of the output, takes its counts back and begins again when there is a remedy.

import { Column, KIND_OBJECT } from "../column";
import { skipValueAt } from "../json/json-nested";
import { escapeString, skipSpace, skipStringFast } from "../json/json-value";
import { TARGET_METADATA_LONG } from "../reject-codes";
import { copyLoose } from "../utf8";
import { addMark, MARK_NESTED, MARK_SIZE } from "./event-rules";
import { findRename, isSame, jsonUnitsOf, Rename, RenameTable } from "./renames";

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
  /** Set if rows keep their metadata nevertheless: a dry run only counts. */
  keeps: u32;
  table: RenameTable;
  /** Room for the longest path: the names of keys as they are in JSON, with zeros between them. */
  path: usize;
  /** Room for the entry of each member of the largest object: those that the present row has counted. */
  counted: usize;
  /** RECENT entries that were found last, by the length and the last bytes of their paths. */
  recent: usize;
  /** Set when a path is not in the table. */
  missing: usize;
  missingBytes: u32;
  /** The next new object is written here. */
  output: usize;
  outputEnd: usize;
  /** Set when the output has no room for an object. */
  needed: u32;
}

const RECENT: u32 = 64;

/** Bytes that must be free behind everything that is written. */
const LOOSE: usize = 64;

/** Set by the walk of a row. */
let rowMarks: u32 = 0;
let leaves: u32 = 0;
let isStopped: bool = false;
/** Set by takeMembers: the address after the object. */
let objectEnd: usize = 0;
/** The next byte that is written, and the members in the source that are to be copied before it. */
let target: usize = 0;
let copyStart: usize = 0;
let copyEnd: usize = 0;

@inline
function bitsOf(v: v128, c: u32): u32 {
  return <u32>i8x16.bitmask(i8x16.eq(v, i8x16.splat(<u8>c)));
}

/** Returns a bit for each byte of a key that needs a look: a dot, `~`, an escape, `__` or `_d`. */
@inline
function oddBytes(p: usize): u32 {
  const v = v128.load(p);
  const next = v128.load(p, 1);
  const follows = bitsOf(next, 0x5f) | bitsOf(next, 0x64);
  return bitsOf(v, 0x2e) | bitsOf(v, 0x7e) | bitsOf(v, 0x5c) | (bitsOf(v, 0x5f) & follows);
}

/** Returns true if the key in [start, close) needs a look. */
@inline
function keyNeedsLook(start: usize, close: usize): bool {
  for (let p = start; p < close; p += 16) {
    const odd = oddBytes(p);
    const left = close - p;
    if ((left >= 16 ? odd : odd & ((<u32>1 << (<u32>left)) - 1)) != 0) return true;
  }
  return false;
}

/** Returns true if the key that ends before the quote at `close` may need a look: certain if false. */
@inline
function keyMayBreak(start: usize, close: usize): bool {
  const first = close - 16;
  if (first < start) return true;
  const quotes = bitsOf(v128.load(first), 0x22);
  const odd = oddBytes(first);
  if (quotes == 0) return true;
  // The key is after the last quote, unless that one is escaped, as an odd byte before it tells.
  return (odd & ~((<u32>1 << (31 - clz(quotes))) - 1)) != 0 || bitsOf(v128.load(first), 0x5c) != 0;
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

/** Returns true if the output has room for `bytes` more; else it stops the walk. */
@inline
function hasRoom(rules: MetadataRules, bytes: usize): bool {
  if (target + bytes + LOOSE <= rules.outputEnd) return true;
  rules.needed = <u32>(target - rules.output + bytes + LOOSE);
  isStopped = true;
  return false;
}

/** Writes the members that wait to be copied. */
@inline
function flushCopy(rules: MetadataRules): void {
  if (copyStart == 0) return;
  const length = copyEnd - copyStart;
  if (!hasRoom(rules, length)) return;
  store<u8>(target, 0x2c);
  target = copyLoose(target + 1, copyStart, length);
  copyStart = 0;
}

/** Returns the entry of a path; 0 if it is not known, which stops the walk. */
@inline
function renameOf(rules: MetadataRules, path: usize, length: usize): usize {
  // The length and the last bytes tell most keys of a row apart.
  const mixed = <u32>length * 7 + <u32>load<u16>(path + length - 2) * 0x9e37;
  const slot = rules.recent + ((<usize>((mixed ^ (mixed >> 8)) & (RECENT - 1))) << 2);
  const recent = <usize>load<u32>(slot);
  if (recent != 0) {
    const known = changetype<Rename>(recent);
    if (known.length == length && isSame(known.start, path, length)) return recent;
  }
  const found = findRename(rules.table, path, length);
  if (found != 0) {
    store<u32>(slot, <u32>found);
    return found;
  }
  isStopped = true;
  rules.missing = path;
  rules.missingBytes = <u32>length;
  return 0;
}

@inline
function isEmptyObject(p: usize, end: usize): bool {
  return load<u8>(skipSpace(p + 1, end)) == 0x7d;
}

/** Counts the member at the end of a path, and writes it. */
function takeLeaf(
  rules: MetadataRules, path: usize, pathBytes: usize, value: usize, valueEnd: usize,
): void {
  const found = renameOf(rules, path, pathBytes);
  if (found == 0) return;
  const known = changetype<Rename>(found);
  const first = load<u8>(value);
  const isText = rules.nested != 0 && (first == 0x7b || first == 0x5b);
  const marks = known.marks | (isText ? MARK_NESTED : 0);
  rowMarks |= marks;
  if (marks != 0 || rules.replaces != 0) {
    known.rows++;
    store<u32>(rules.counted + ((<usize>leaves) << 2), <u32>found);
    leaves++;
  }
  if (rules.replaces == 0) return;
  flushCopy(rules);
  const length = valueEnd - value;
  // Escaped JSON has at most twice its bytes: it has no control characters but white space.
  if (isStopped || !hasRoom(rules, known.newLength + 2 * length)) return;
  store<u8>(target, 0x2c);
  const t = copyLoose(target + 1, known.newStart, known.newLength);
  if (!isText) {
    target = copyLoose(t, value, length);
    return;
  }
  store<u8>(t, 0x22);
  target = escapeString(value, length, t + 1);
  store<u8>(target++, 0x22);
}

/** Takes the members of the object at `p`. Their keys are at `head` of the path: 0 for the first level. */
function takeMembers(rules: MetadataRules, head: usize, p: usize, end: usize): void {
  p = skipSpace(p + 1, end);
  while (load<u8>(p) != 0x7d) {
    const member = p;
    const key = p + 1;
    const close = skipStringFast(key, end);
    let value = close + 2;
    if (load<u8>(close, 1) != 0x3a) value = skipSpace(close + 1, end) + 1;
    if (load<u8>(value) <= 0x20) value = skipSpace(value, end);
    const first = load<u8>(value);
    const isNested = rules.nested != 0 && (first == 0x7b || first == 0x5b);
    const isOpen = isNested && first == 0x7b && !isEmptyObject(value, end);
    let valueEnd: usize = 0;
    if (!isOpen) valueEnd = skipValueAt(value, end, 0);
    if (head != 0 || isNested || keyNeedsLook(key, close)) {
      let path = key;
      let pathBytes = close - key;
      if (head != 0 || isOpen) {
        copyLoose(rules.path + head, key, pathBytes);
        path = rules.path;
        pathBytes += head;
      }
      if (isOpen) {
        store<u8>(path + pathBytes, 0);
        takeMembers(rules, pathBytes + 1, value, end);
        valueEnd = objectEnd;
      } else {
        takeLeaf(rules, path, pathBytes, value, valueEnd);
      }
      if (isStopped) return;
    } else {
      if (copyStart == 0) copyStart = member;
      copyEnd = valueEnd;
    }
    p = load<u8>(valueEnd) <= 0x20 ? skipSpace(valueEnd, end) : valueEnd;
    if (load<u8>(p) == 0x2c) {
      p++;
      if (load<u8>(p) <= 0x20) p = skipSpace(p, end);
    }
  }
  objectEnd = p + 1;
}

/** Takes back what the present row has counted. */
function uncount(rules: MetadataRules): void {
  for (let index: u32 = 0; index < leaves; index++) {
    changetype<Rename>(<usize>load<u32>(rules.counted + ((<usize>index) << 2))).rows--;
  }
}

/** Walks the object of a row. Returns false if it had to stop; then it counts nothing. */
function takeObject(rules: MetadataRules, start: usize, end: usize): bool {
  rowMarks = 0;
  leaves = 0;
  isStopped = false;
  copyStart = 0;
  target = rules.output;
  takeMembers(rules, 0, start, end);
  if (!isStopped && rules.replaces != 0) flushCopy(rules);
  if (!isStopped) return true;
  uncount(rules);
  return false;
}

/** Marks a row whose metadata has too many characters, and rejects it if it was to be repaired. */
@inline
function checkSize(
  rules: MetadataRules, outcomes: usize, start: usize, length: usize, marks: usize, row: i32,
): void {
  if (rules.unitsMax == 0 || length <= <usize>rules.unitsMax) return;
  if (jsonUnitsOf(start, length) <= <usize>rules.unitsMax) return;
  addMark(marks, row, MARK_SIZE);
  if (rules.replaces == 0) return;
  store<u8>(outcomes + <usize>row, TARGET_METADATA_LONG);
  uncount(rules);
}

/**
 * Marks the delivered rows from `from` on whose metadata breaks a rule, and replaces it. Returns the first
 * row with a path that is not in the table (`missing`), or for which the output has no room (`needed`), or
 * `rows`.
 */
export function takeMetadata(
  rules: MetadataRules, outcomes: usize, metadata: Column, marks: usize, from: i32, rows: i32,
): i32 {
  for (let row = from; row < rows; row++) {
    if (load<u8>(outcomes + <usize>row) != 0) continue;
    let start = metadata.start(row);
    let end = start + metadata.length(row);
    leaves = 0;
    if ((rules.dots | rules.nested) != 0 && mayBreak(start, end)) {
      if (!takeObject(rules, start, end)) return row;
      if (rowMarks != 0) addMark(marks, row, rowMarks);
      // An object of which no member was written stays as it is.
      if (rules.replaces != 0 && leaves != 0) {
        start = rules.output;
        end = target + 1;
        // The first comma has the place of the brace.
        store<u8>(start, 0x7b);
        store<u8>(target, 0x7d);
        if (rules.keeps == 0) {
          metadata.set(row, KIND_OBJECT, start, end - start);
          rules.output = end;
        }
      }
    }
    checkSize(rules, outcomes, start, end - start, marks, row);
  }
  return rows;
}
