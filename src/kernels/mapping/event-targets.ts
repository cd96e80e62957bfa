// Fills the parts of the event (targets) with cells and checks their kinds. A target is a separate
// column. For `"userID": ["user_id", "email"]` the first field is copied whole, and the second one
// fills the rows that are still null. Texts are not moved; cells point to them. After a target is
// filled, the check of its kind gives rows that cannot be events the reason as their outcome. It
// skips rows that have an outcome.

import { Column, KIND_ARRAY, KIND_NULL, KIND_NUMBER, KIND_OBJECT, KIND_STRING } from "../column";
import { skipValue } from "../json/json-nested";
import { hasLoneSurrogate, loneSurrogate, skipSpace, skipString, unescape } from "../json/json-value";
import {
  EVENT_MISSING, EVENT_NOT_TEXT, UNIT_ID_MISSING, UNIT_ID_NOT_TEXT, VALUE_NOT_SCALAR,
} from "../reject-codes";
import { validateUtf8 } from "../utf8";
import { changedEnd, changedKind, changedStart, changeText, numberToText } from "./text-forms";

/** The texts and numbers of one of a target's fields: those that count as null, and how others are read. */
@unmanaged
class NullTexts {
  /** 1 if empty text is null, else 0. */
  empty: u32;
  /** Text that begins with these bytes is null; length 0 if there are none. */
  prefix: usize;
  prefixLength: u32;
  /** [texts, textsEnd) are pairs of address and length: text or a number equal to one is null. */
  texts: usize;
  textsEnd: usize;
  /** Bits of the changes made to text and numbers before (see text-forms.ts). */
  changes: u32;
  /** 1 if the text of the other column follows after a hyphen. */
  isJoined: u32;
  /**
   * [names, namesEnd) are pairs of address and length, a text or number and the text that it stands for
   * in turn; others are null.
   */
  names: usize;
  namesEnd: usize;
}

const HYPHEN: u8 = 0x2d;

/**
 * Gives `target` the cells of `candidate` if it has none yet (everywhere, if `first`). Text or a
 * number becomes null if `nulls` says so, or if it equals its row's cell in the column `other`, unless
 * that is 0, or one to join. Changed texts are written to `scratch`; returns the address after them.
 */
export function takeCells(
  target: Column, candidate: Column, rows: i32, first: i32, nulls: NullTexts, other: usize,
  scratch: usize,
): usize {
  const emptyIsNull = nulls.empty != 0;
  const prefix = nulls.prefix;
  const prefixLength = nulls.prefixLength;
  const texts = nulls.texts;
  const textsEnd = nulls.textsEnd;
  const changes = nulls.changes;
  const isJoined = nulls.isJoined != 0;
  const names = nulls.names;
  const namesEnd = nulls.namesEnd;
  const isPlain = prefixLength == 0 && texts == textsEnd && other == 0 && changes == 0;
  if (first != 0 && isPlain && names == namesEnd) {
    copyCells(target, candidate, rows, emptyIsNull);
    return scratch;
  }
  for (let row = 0; row < rows; row++) {
    if (first == 0 && target.kind(row) != KIND_NULL) continue;
    let kind = candidate.kind(row);
    let start = candidate.start(row);
    let length = candidate.length(row);
    if (isJoined && isText(kind)) {
      const end = join(start, length, changetype<Column>(other), row, scratch);
      kind = end == 0 ? KIND_NULL : KIND_STRING;
      start = scratch;
      length = end == 0 ? 0 : end - scratch;
      scratch += length;
    } else if (other != 0 && isText(kind)) {
      if (isSame(changetype<Column>(other), row, start, length)) kind = KIND_NULL;
    }
    if (changes != 0 && isText(kind)) {
      scratch = changeText(kind, start, length, changes, scratch);
      kind = changedKind;
      start = changedStart;
      length = changedEnd - changedStart;
    }
    if (kind == KIND_STRING) {
      if (length == 0 && emptyIsNull) kind = KIND_NULL;
      else if (
        prefixLength != 0 &&
        length >= prefixLength &&
        memory.compare(start, prefix, prefixLength) == 0
      ) {
        kind = KIND_NULL;
      }
    }
    if (texts != textsEnd && isText(kind)) {
      if (findText(start, length, texts, textsEnd, 8) != 0) kind = KIND_NULL;
    }
    if (names != namesEnd && isText(kind)) {
      const pair = findText(start, length, names, namesEnd, 16);
      kind = pair == 0 ? KIND_NULL : KIND_STRING;
      if (pair != 0) {
        start = <usize>load<u32>(pair, 8);
        length = <usize>load<u32>(pair, 12);
      }
    }
    target.set(row, kind, start, length);
  }
  return scratch;
}

/** The common case of `takeCells`, in whole arrays: a single field without conditions. */
function copyCells(target: Column, source: Column, rows: i32, emptyIsNull: bool): void {
  memory.copy(target.starts, source.starts, <usize>rows << 2);
  memory.copy(target.lengths, source.lengths, <usize>rows << 2);
  memory.copy(target.kinds, source.kinds, <usize>rows);
  if (!emptyIsNull) return;
  for (let row = 0; row < rows; row++) {
    const isEmpty = source.length(row) == 0 && source.kind(row) == KIND_STRING;
    if (isEmpty) store<u8>(target.kinds + <usize>row, <u8>KIND_NULL);
  }
}

function isSame(column: Column, row: i32, start: usize, length: usize): bool {
  const kind = column.kind(row);
  if ((kind != KIND_STRING && kind != KIND_NUMBER) || column.length(row) != length) return false;
  return memory.compare(column.start(row), start, length) == 0;
}

/** Returns the place of a text among pairs of address and length, `step` bytes each; 0 if it is none. */
function findText(start: usize, length: usize, texts: usize, textsEnd: usize, step: usize): usize {
  for (let pair = texts; pair < textsEnd; pair += step) {
    if (length != <usize>load<u32>(pair, 4)) continue;
    if (memory.compare(start, <usize>load<u32>(pair), length) == 0) return pair;
  }
  return 0;
}

/** Writes two texts with a hyphen between them to `target`. Returns its end; 0 if one is null or empty. */
function join(start: usize, length: usize, other: Column, row: i32, target: usize): usize {
  const second = other.length(row);
  if (length == 0 || second == 0 || !isText(other.kind(row))) return 0;
  memory.copy(target, start, length);
  store<u8>(target + length, HYPHEN);
  memory.copy(target + length + 1, other.start(row), second);
  return target + length + 1 + second;
}

// @ts-ignore: decorator
@inline
function isText(kind: u32): bool {
  return kind == KIND_STRING || kind == KIND_NUMBER;
}

/** Makes the cells of rows [0, rows) null. */
export function clearCells(target: Column, rows: i32): void {
  memory.fill(target.kinds, <u8>KIND_NULL, <usize>rows);
}

/** Returns the bytes of the cells of `rows` rows that are not null. */
export function totalBytes(column: Column, rows: i32): f64 {
  let sum: u64 = 0;
  for (let row = 0; row < rows; row++) {
    sum += column.kind(row) == KIND_NULL ? 0 : <u64>column.length(row);
  }
  return <f64>sum;
}

/** Requires an event name that is text. */
export function checkEvents(outcomes: usize, event: Column, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    const kind = event.kind(row);
    if (kind == KIND_STRING || load<u8>(outcomes + row) != 0) continue;
    store<u8>(outcomes + row, kind == KIND_NULL ? EVENT_MISSING : EVENT_NOT_TEXT);
  }
}

/**
 * Requires ids that are text or null; numbers become text (`numberToText`), for which `scratch` has 20
 * bytes a row.
 */
export function checkIds(outcomes: usize, id: Column, rows: i32, scratch: usize): void {
  for (let row = 0; row < rows; row++) {
    const kind = id.kind(row);
    if (kind == KIND_STRING || kind == KIND_NULL || load<u8>(outcomes + row) != 0) continue;
    if (kind == KIND_NUMBER) scratch = numberToText(id, row, scratch);
    else store<u8>(outcomes + row, UNIT_ID_NOT_TEXT);
  }
}

/** Requires at least one of the two ids. */
export function requireId(outcomes: usize, first: Column, second: Column, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    if (first.kind(row) != KIND_NULL || second.kind(row) != KIND_NULL) continue;
    if (load<u8>(outcomes + row) == 0) store<u8>(outcomes + row, UNIT_ID_MISSING);
  }
}

/** Requires JSON scalars. Text with a lone surrogate has no UTF-8, which text columns need. */
export function checkValues(outcomes: usize, value: Column, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    const kind = value.kind(row);
    if (kind == KIND_NULL || kind == KIND_NUMBER) continue;
    if (kind == KIND_STRING) {
      const start = value.start(row);
      if (!hasLoneSurrogate(start + 1, start + value.length(row) - 1)) continue;
    }
    if (load<u8>(outcomes + row) == 0) store<u8>(outcomes + row, VALUE_NOT_SCALAR);
  }
}

/** Returns the sum of the cells' lengths, without nulls and rows that have an outcome. */
export function cellBytes(outcomes: usize, column: Column, rows: i32): f64 {
  let sum: f64 = 0;
  for (let row = 0; row < rows; row++) {
    if (column.kind(row) == KIND_NULL || load<u8>(outcomes + row) != 0) continue;
    sum += <f64>column.length(row);
  }
  return sum;
}

/** Returns the bytes that `checkObjects` needs at `scratch` for texts that are quoted twice. */
export function quotedBytes(outcomes: usize, column: Column, rows: i32): f64 {
  let sum: f64 = 0;
  for (let row = 0; row < rows; row++) {
    if (column.kind(row) != KIND_STRING || load<u8>(outcomes + row) != 0) continue;
    const start = column.start(row);
    // Almost all rows: 3 ns without a call instead of 8.
    if (load<u8>(start) == 0x7b) continue;
    const end = start + column.length(row);
    const p = skipSpace(start, end);
    if (p < end && load<u8>(p) == 0x22) sum += <f64>(end - p);
  }
  return sum;
}

// Results of `objectText`.
const NOT_OBJECT: i32 = 0;
const OBJECT: i32 = 1;
const NULL: i32 = 2;
let objectStart: usize = 0;
let objectEnd: usize = 0;

/**
 * Checks that text is one JSON object, or `null`, or empty, with any white space around it. An empty list
 * is null: PHP writes an object without members so.
 */
function objectText(start: usize, end: usize): i32 {
  const p = load<u8>(start) == 0x7b ? start : skipSpace(start, end);
  if (p == end) return NULL;
  if (end - p >= 4 && load<u32>(p) == 0x6c6c756e) {
    return skipSpace(p + 4, end) == end ? NULL : NOT_OBJECT;
  }
  if (load<u8>(p) == 0x5b) {
    const inside = skipSpace(p + 1, end);
    const isEmpty = inside < end && load<u8>(inside) == 0x5d && skipSpace(inside + 1, end) == end;
    return isEmpty ? NULL : NOT_OBJECT;
  }
  if (load<u8>(p) != 0x7b) return NOT_OBJECT;
  const after = skipValue(p, end);
  if (after == 0 || (after != end && skipSpace(after, end) != end)) return NOT_OBJECT;
  if (validateUtf8(p, after) == 0) return NOT_OBJECT;
  objectStart = p;
  objectEnd = after;
  return OBJECT;
}

/** The target of the next text that was quoted twice. */
let scratchTop: usize = 0;

/** `objectText`, also for a JSON string that holds the text. */
function quotedObjectText(start: usize, end: usize): i32 {
  if (load<u8>(start) == 0x7b) return objectText(start, end);
  const p = skipSpace(start, end);
  if (p == end || load<u8>(p) != 0x22) return objectText(p, end);
  const close = skipString(p + 1, end);
  if (close == 0 || skipSpace(close + 1, end) != end) return NOT_OBJECT;
  const text = scratchTop;
  const length = unescape(p + 1, close, text);
  if (loneSurrogate) return NOT_OBJECT;
  scratchTop += length;
  return objectText(text, scratchTop);
}

/**
 * Leaves only objects (kind object) and nulls in the column: texts that hold an object become that
 * object. The row of any other cell gets the outcome `code`. `scratch` has `quotedBytes` bytes.
 */
export function checkObjects(
  outcomes: usize, column: Column, rows: i32, code: i32, scratch: usize,
): void {
  scratchTop = scratch;
  for (let row = 0; row < rows; row++) {
    const kind = column.kind(row);
    if (kind == KIND_OBJECT || kind == KIND_NULL || load<u8>(outcomes + row) != 0) continue;
    const end = column.start(row) + column.length(row);
    const found =
      kind == KIND_STRING ? quotedObjectText(column.start(row), end)
      : kind == KIND_ARRAY ? objectText(column.start(row), end)
      : NOT_OBJECT;
    if (found == OBJECT) {
      column.set(row, KIND_OBJECT, objectStart, objectEnd - objectStart);
    } else if (found == NULL) {
      store<u8>(column.kinds + <usize>row, <u8>KIND_NULL);
    } else {
      store<u8>(outcomes + row, <u8>code);
    }
  }
}

/** Points every null cell at the bytes of `{}`, which are at `empty`. */
export function fillObjects(column: Column, rows: i32, empty: usize): void {
  for (let row = 0; row < rows; row++) {
    if (column.kind(row) == KIND_NULL) column.set(row, KIND_OBJECT, empty, 2);
  }
}

/** Returns how many of `rows` u8 outcomes have this value. */
export function countOutcomes(outcomes: usize, rows: i32, outcome: u32): i32 {
  const wanted = i8x16.splat(<i8>outcome);
  const end = outcomes + <usize>rows;
  let p = outcomes;
  let count = 0;
  for (; p + 16 <= end; p += 16) {
    count += i32.popcnt(i8x16.bitmask(i8x16.eq(v128.load(p), wanted)));
  }
  for (; p < end; p++) count += i32(load<u8>(p) == outcome);
  return count;
}
