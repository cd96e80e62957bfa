// Changes texts to another form: without blanks around them, as the value of a JSON scalar, and whole
// numbers without fraction and exponent. Exports write one id in several of these forms, and each
// would be another user. A result is a part of the text where it can be, else it is written.

import { KIND_BOOLEAN, KIND_NULL, KIND_NUMBER, KIND_STRING, Column } from "../column";
import { writeInteger } from "../decimal";
import {
  escaped, escapeString, loneSurrogate, skipScalar, skipSpace, skipString, unescape,
} from "../json/json-value";

// Bits of changes. The same numbers as `textChanges` in src/batch/text-changes.ts.
const FROM_JSON: u32 = 1;
const TRIM: u32 = 2;
const AS_INTEGER: u32 = 4;
/** Texts are JSON tokens, with quotes and escapes. */
const TOKEN: u32 = 8;

const QUOTE: u8 = 0x22;
const MINUS: u8 = 0x2d;
const PLUS: u8 = 0x2b;
const POINT: u8 = 0x2e;

/** A double has all whole numbers up to this one: beyond it, an id may have lost digits already. */
const INTEGER_MAX: u64 = 9007199254740992;
const INTEGER_DIGITS_MAX: usize = 16;

/** Result of `changeText`: a text or number from `changedStart` to `changedEnd`. */
export let changedKind: u32 = 0;
export let changedStart: usize = 0;
export let changedEnd: usize = 0;

/**
 * Changes a text or a number, and returns the address after what it wrote to `scratch`: at most 8 bytes
 * for each one of the text, and 32 more. A text that does not have the form of a change stays as it is.
 */
export function changeText(
  kind: u32, start: usize, length: usize, changes: u32, scratch: usize,
): usize {
  const isToken = (changes & TOKEN) != 0 && kind == KIND_STRING;
  changedKind = kind;
  changedStart = start;
  changedEnd = start + length;
  if (!isToken) return applyChanges(changes, scratch);
  changedStart = scratch;
  changedEnd = scratch + unescape(start + 1, start + length - 1, scratch);
  if (loneSurrogate) {
    changedStart = start;
    changedEnd = start + length;
    return scratch;
  }
  scratch = applyChanges(changes, changedEnd);
  return changedKind == KIND_STRING ? writeToken(scratch) : scratch;
}

function applyChanges(changes: u32, scratch: usize): usize {
  if ((changes & TRIM) != 0 && changedKind == KIND_STRING) trim();
  if ((changes & FROM_JSON) != 0 && changedKind == KIND_STRING) {
    scratch = decode(scratch);
    if ((changes & TRIM) != 0 && changedKind == KIND_STRING) trim();
  }
  const isText = changedKind == KIND_STRING;
  if ((changes & AS_INTEGER) != 0 && (isText || changedKind == KIND_NUMBER)) {
    scratch = writeWhole(scratch);
  }
  return scratch;
}

/** Writes the changed text as a JSON string. */
function writeToken(scratch: usize): usize {
  store<u8>(scratch, QUOTE);
  const end = escapeString(changedStart, changedEnd - changedStart, scratch + 1);
  store<u8>(end, QUOTE);
  changedStart = scratch;
  changedEnd = end + 1;
  return changedEnd;
}

/** Returns true for a character that is not seen: white space, controls, zero width, soft hyphen. */
@inline
function isBlank(word: u32, bytes: usize): bool {
  if (bytes == 1) return word <= 0x20 || word == 0x7f;
  if (bytes == 2) return word == 0xadc2 || ((word & 0xff) == 0xc2 && word >= 0x80c2 && word <= 0xa0c2);
  const last = word >> 16;
  if ((word & 0xffff) == 0x80e2) return (last >= 0x80 && last <= 0x8f) || (last >= 0xa8 && last <= 0xaf);
  if ((word & 0xffff) == 0x81e2) return last >= 0x9f && last <= 0xaf;
  return word == 0x809ae1 || word == 0x8ea0e1 || word == 0x8080e3 || word == 0xbfbbef;
}

/** Returns the bytes of the blank character at `p`; 0 if there is none. */
function blankAt(p: usize, end: usize): usize {
  const word = load<u32>(p);
  if (p < end && isBlank(word & 0xff, 1)) return 1;
  if (p + 2 <= end && isBlank(word & 0xffff, 2)) return 2;
  return p + 3 <= end && isBlank(word & 0xffffff, 3) ? 3 : 0;
}

/** Returns the bytes of the blank character before `end`; 0 if there is none. */
function blankBefore(start: usize, end: usize): usize {
  if (end - 1 >= start && isBlank(load<u8>(end - 1), 1)) return 1;
  if (end - 2 >= start && isBlank(load<u16>(end - 2), 2)) return 2;
  return end - 3 >= start && isBlank(load<u32>(end - 3) & 0xffffff, 3) ? 3 : 0;
}

function trim(): void {
  for (let blank = blankAt(changedStart, changedEnd); blank != 0; ) {
    changedStart += blank;
    blank = blankAt(changedStart, changedEnd);
  }
  for (let blank = blankBefore(changedStart, changedEnd); blank != 0; ) {
    changedEnd -= blank;
    blank = blankBefore(changedStart, changedEnd);
  }
}

/** Replaces the text by its value if it is a JSON string, number, boolean or null. */
function decode(scratch: usize): usize {
  const p = skipSpace(changedStart, changedEnd);
  if (p == changedEnd) return scratch;
  const after = skipScalar(p, changedEnd);
  if (after == 0 || skipSpace(after, changedEnd) != changedEnd) return scratch;
  const first = load<u8>(p);
  if (first != QUOTE) {
    changedKind = kindOf(first);
    changedStart = p;
    changedEnd = after;
    return scratch;
  }
  skipString(p + 1, after);
  if (!escaped) {
    changedStart = p + 1;
    changedEnd = after - 1;
    return scratch;
  }
  const length = unescape(p + 1, after - 1, scratch);
  if (loneSurrogate) return scratch;
  changedStart = scratch;
  changedEnd = scratch + length;
  return changedEnd;
}

function kindOf(first: u8): u32 {
  if (first == 0x6e) return KIND_NULL;
  return first == 0x74 || first == 0x66 ? KIND_BOOLEAN : KIND_NUMBER;
}

@inline
function digitAt(p: usize, end: usize): u32 {
  return p < end ? <u32>load<u8>(p) - 0x30 : 10;
}

/**
 * Replaces a whole number up to 2^53 that has a fraction or an exponent by its digits. A text with an
 * exponent must also have a point or a plus sign: `12e3` may be a hexadecimal id.
 */
function writeWhole(scratch: usize): usize {
  const end = changedEnd;
  const isNegative = changedStart < end && load<u8>(changedStart) == MINUS;
  const first = changedStart + (isNegative ? 1 : 0);
  let value: u64 = 0;
  let p = first;
  for (; digitAt(p, end) < 10; p++) {
    if (p - first == INTEGER_DIGITS_MAX) return scratch;
    value = value * 10 + digitAt(p, end);
  }
  const wholeEnd = p;
  if (p == first || p == end || (p - first > 1 && load<u8>(first) == 0x30)) return scratch;
  // The digits of the fraction from `next` up to the last one that is not zero.
  let next = p + 1;
  let fractionEnd: usize = 0;
  if (load<u8>(p) == POINT) {
    for (p++; digitAt(p, end) < 10; p++) if (digitAt(p, end) != 0) fractionEnd = p + 1;
    if (p == next) return scratch;
  }
  if (p == end) {
    if (fractionEnd == 0 && value <= INTEGER_MAX) changedEnd = wholeEnd;
    return scratch;
  }
  let exponent = exponentAt(p, end, p != wholeEnd || changedKind == KIND_NUMBER);
  if (exponent < 0) return scratch;
  for (; exponent > 0 && value <= INTEGER_MAX; exponent--) {
    value = value * 10 + (next < fractionEnd ? digitAt(next, end) : 0);
    next++;
  }
  if (next < fractionEnd || value > INTEGER_MAX) return scratch;
  changedStart = scratch;
  changedEnd = writeInteger(scratch, isNegative ? -(<i64>value) : <i64>value);
  return changedEnd;
}

/**
 * Returns the change that a text seems to need, and makes it; 0 if there is none. Only the first `kept`
 * bytes of the text are there: of a longer one, only blanks before it are seen.
 */
export function plainChange(start: usize, length: usize, kept: usize, scratch: usize): u32 {
  const end = start + min(length, kept);
  const first = load<u8>(start);
  const last = load<u8>(end - 1);
  // Almost all ids: 10 ns without a call instead of 20.
  if (first > 0x39 && first < 0x7f && last > 0x20 && last < 0x7f) return 0;
  changedKind = KIND_STRING;
  changedStart = start;
  changedEnd = end;
  const isWhole = length <= kept;
  if (blankAt(start, end) != 0 || (isWhole && blankBefore(start, end) != 0)) {
    trim();
    return TRIM;
  }
  if (!isWhole || length < 2) return 0;
  if (first == QUOTE) {
    if (load<u8>(end - 1) == QUOTE) decode(scratch);
    return changedStart == start ? 0 : FROM_JSON;
  }
  if (<u32>first - 0x30 < 10 || first == MINUS) writeWhole(scratch);
  return changedStart == start && changedEnd == end ? 0 : AS_INTEGER;
}

/** Returns the exponent from `p` to `end`; -1 if there is none, if it is negative, or without a sign. */
function exponentAt(p: usize, end: usize, isWithoutSign: bool): i32 {
  if ((load<u8>(p) | 0x20) != 0x65) return -1;
  const hasPlus = p + 1 < end && load<u8>(p, 1) == PLUS;
  if (!hasPlus && !isWithoutSign) return -1;
  p += hasPlus ? 2 : 1;
  if (p == end) return -1;
  let exponent = 0;
  for (; digitAt(p, end) < 10; p++) exponent = min(exponent * 10 + <i32>digitAt(p, end), 99);
  return p == end ? exponent : -1;
}

/**
 * Makes text of numbers, which are ids: a whole number up to 2^53 becomes its digits, so that 1000,
 * 1000.0 and 1e3 are one id. Writes at most 20 bytes, and returns the address after them.
 */
export function numberToText(column: Column, row: i32, scratch: usize): usize {
  changedKind = KIND_NUMBER;
  changedStart = column.start(row);
  changedEnd = changedStart + column.length(row);
  const next = writeWhole(scratch);
  column.set(row, KIND_STRING, changedStart, changedEnd - changedStart);
  return next;
}

/** Changes the texts and numbers of a column in place; `scratch` has room as for `changeText`. */
export function changeCells(column: Column, rows: i32, changes: u32, scratch: usize): void {
  for (let row = 0; row < rows; row++) {
    const kind = column.kind(row);
    if (kind != KIND_STRING && kind != KIND_NUMBER) continue;
    scratch = changeText(kind, column.start(row), column.length(row), changes, scratch);
    column.set(row, changedKind, changedStart, changedEnd - changedStart);
  }
}
