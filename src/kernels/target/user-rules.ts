// The fields that a target looks for at the top level of a user. They are written to the front, behind the
// ids; the sinks write what is in front at the top level (src/kernels/sink/platform-user.ts). A property
// of another name that fills a field stays where it is, so that nothing is lost. Most users have the same properties in the same
// order, and the last two bytes of a key tell nearly all of the others apart. Users of plain members are
// scanned for the ends of keys and cut; others are walked member by member.

import { Column, KIND_OBJECT } from "../column";
import { skipValueAt } from "../json/json-nested";
import { skipSpace, skipString } from "../json/json-value";
import { copyLoose } from "../utf8";
import { addMark, MARK_USER } from "./event-rules";
import { isSame } from "./renames";

/** A property that fills a field. The list is in the order of preference within a field. */
@unmanaged
class UserProperty {
  /** The key with its first quote. */
  key: usize;
  length: usize;
  /** Index of the field. */
  field: u32;
  /** Events in which it filled the field under another name. */
  rows: u32;
  /** The next property that ends in the same two bytes; 0 if there is none. */
  next: usize;
}

const PROPERTY_BYTES: usize = offsetof<UserProperty>();

/** A field of the target: its key in quotes, with the colon. */
@unmanaged
class UserField {
  key: usize;
  length: usize;
  /** The property of its own name. */
  own: usize;
  /** In the present row: its own property is an object, which cannot move. */
  isBlocked: u32;
  /** In the present row: the property that fills it, 0 for none, and its value. */
  property: usize;
  value: usize;
  valueEnd: usize;
}

const FIELD_BYTES: usize = offsetof<UserField>();

/** The first byte of null. */
const NULL_START: u8 = 0x6e;

/** Made in src/mapper/target/user-stage.ts. */
@unmanaged
export class UserRules {
  properties: usize;
  fields: usize;
  fieldsEnd: usize;
  /** For each pair of bytes the number of the first property that ends in it, from 1 on; else 0. */
  endings: usize;
  /** Set if properties move. */
  replaces: u32;
  /** Set if rows keep their user nevertheless: a dry run only counts. */
  keeps: u32;
}

/**
 * Returns true if a value follows the key of a field as `writeFields` writes it. Null, objects and arrays stay
 * in their place, and what stays there may have white space.
 */
@inline
function isWritten(value: usize): bool {
  const first = load<u8>(value);
  return first > 0x20 && first != NULL_START && first != 0x7b && first != 0x5b;
}

/** Returns the end of the members from `p` on that are fields, as `writeUser` writes them: in their order. */
export function skipUserFields(rules: UserRules, p: usize, end: usize): usize {
  for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
    const field = changetype<UserField>(at);
    if (!isSame(p, field.key, field.length) || !isWritten(p + field.length)) continue;
    p = skipValueAt(p + field.length, end, 0);
    if (p < end && load<u8>(p) == 0x2c) p++;
  }
  return p;
}

/** Returns the property whose key ends before the quote at `close`; 0 if there is none. */
@inline
function propertyAt(rules: UserRules, close: usize): usize {
  const number = <usize>load<u8>(rules.endings + <usize>load<u16>(close - 2));
  if (number == 0) return 0;
  let at = rules.properties + (number - 1) * PROPERTY_BYTES;
  while (at != 0) {
    const property = changetype<UserProperty>(at);
    if (isSame(close - property.length, property.key, property.length)) return at;
    at = property.next;
  }
  return 0;
}

/** Results of `scanFields`. */
const NO_FIELDS: i32 = 0;
const FOUND_FIELDS: i32 = 1;
/** The object has escapes, nested values or odd white space: `findFields` has to walk it. */
const NEEDS_WALK: i32 = 2;

/** Members with the name of a field, in their order: their first bytes and their ends. */
const CUTS_MAX: i32 = 64;
const cuts: usize = memory.data(512);
let cutCount: i32 = 0;

function clearFields(rules: UserRules): void {
  for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
    const field = changetype<UserField>(at);
    field.property = 0;
    field.isBlocked = 0;
  }
}

/** Returns the address after a text, number, boolean or null, in an object without escapes. */
@inline
function plainValueEnd(p: usize): usize {
  if (load<u8>(p) != 0x22) {
    while (load<u8>(p) != 0x2c && load<u8>(p) != 0x7d && load<u8>(p) > 0x20) p++;
    return p;
  }
  p++;
  while (true) {
    const quotes = <u32>i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(0x22)));
    if (quotes != 0) return p + <usize>ctz(quotes) + 1;
    p += 16;
  }
}

/** Finds the property for each field in an object of plain members, by the ends of keys. */
function scanFields(rules: UserRules, start: usize, end: usize): i32 {
  const quote = i8x16.splat(0x22);
  cutCount = 0;
  let any = false;
  let isPlain = true;
  for (let p = start + 1; p < end; p += 16) {
    const bytes = v128.load(p);
    const after = v128.load(p, 1);
    const isQuote = i8x16.eq(bytes, quote);
    // White space after a quote may be before a colon.
    if (v128.any_true(v128.and(isQuote, i8x16.le_u(after, i8x16.splat(0x20))))) return NEEDS_WALK;
    const isNested = v128.or(
      i8x16.eq(bytes, i8x16.splat(0x5c)),
      v128.or(i8x16.eq(bytes, i8x16.splat(0x7b)), i8x16.eq(bytes, i8x16.splat(0x5b))),
    );
    const odd = <u32>i8x16.bitmask(isNested);
    if (odd != 0 && p + <usize>ctz(odd) < end) {
      if (any) return NEEDS_WALK;
      isPlain = false;
    }
    let ends = <u32>i8x16.bitmask(v128.and(isQuote, i8x16.eq(after, i8x16.splat(0x3a))));
    for (; ends != 0; ends &= ends - 1) {
      const close = p + <usize>ctz(ends);
      if (close >= end) break;
      const found = propertyAt(rules, close);
      if (found == 0) continue;
      if (!isPlain) return NEEDS_WALK;
      if (!any) clearFields(rules);
      const property = changetype<UserProperty>(found);
      const field = changetype<UserField>(rules.fields + <usize>property.field * FIELD_BYTES);
      const value = skipSpace(close + 2, end);
      const first = load<u8>(value);
      if (cutCount == CUTS_MAX) return NEEDS_WALK;
      any = true;
      if (found == field.own) {
        const cut = cuts + ((<usize>cutCount) << 3);
        cutCount++;
        store<u32>(cut, <u32>(close - property.length));
        store<u32>(cut, <u32>plainValueEnd(value), 4);
      }
      if (first != NULL_START && (field.property == 0 || found <= field.property)) {
        field.property = found;
        field.value = value;
      }
    }
  }
  if (!any) return NO_FIELDS;
  any = false;
  for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
    const field = changetype<UserField>(at);
    if (field.property == 0) continue;
    any = true;
    field.valueEnd = plainValueEnd(field.value);
  }
  return any ? FOUND_FIELDS : NO_FIELDS;
}

/** Writes the fields of the present row, each after a comma. */
@inline
function writeFields(rules: UserRules, target: usize): usize {
  let t = target;
  for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
    const field = changetype<UserField>(at);
    if (field.property == 0) continue;
    if (field.property != field.own) changetype<UserProperty>(field.property).rows++;
    store<u8>(t, 0x2c);
    t = copyLoose(t + 1, field.key, field.length);
    t = copyLoose(t, field.value, field.valueEnd - field.value);
  }
  return t;
}

/** Returns true if a member stays although it has the name of a field: that field is not filled. */
@inline
function staysInPlace(rules: UserRules, member: usize): bool {
  for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
    const field = changetype<UserField>(at);
    if (isSame(member, field.key, field.length)) return field.property == 0;
  }
  return true;
}

/** Returns the address of the next member, or of the brace, from the end of one. */
@inline
function afterComma(p: usize, end: usize): usize {
  p = skipSpace(p, end);
  return load<u8>(p) == 0x2c ? skipSpace(p + 1, end) : p;
}

/** `writeUser` for an object that `scanFields` has understood: copies what is between the fields. */
function writeScanned(rules: UserRules, start: usize, end: usize, target: usize): usize {
  let p = start + 1;
  let t = target;
  while (isId(p)) {
    const id = p;
    // The key has no quote but its own.
    p = plainValueEnd(plainValueEnd(p) + 1);
    store<u8>(t, 0x2c);
    t = copyLoose(t + 1, id, p - id);
    p = afterComma(p, end);
  }
  t = writeFields(rules, t);
  for (let index = 0; index <= cutCount; index++) {
    const isLast = index == cutCount;
    const cut = cuts + ((<usize>index) << 3);
    const stop: usize = isLast ? end : <usize>load<u32>(cut);
    if (!isLast && staysInPlace(rules, stop)) continue;
    if (stop > p && load<u8>(p) != 0x7d) {
      // Not the comma before the cut member, or the brace.
      let last = stop - 1;
      while (load<u8>(last) <= 0x20) last--;
      store<u8>(t, 0x2c);
      t = copyLoose(t + 1, p, last - p);
    }
    if (!isLast) p = afterComma(<usize>load<u32>(cut, 4), end);
  }
  // The first comma has the place of the brace.
  store<u8>(target, 0x7b);
  store<u8>(t, 0x7d);
  return t + 1;
}

/** Finds the property for each field. Returns false if there is none. */
function findFields(rules: UserRules, start: usize, end: usize): bool {
  clearFields(rules);
  let p = skipSpace(start + 1, end);
  while (load<u8>(p) != 0x7d) {
    const close = skipString(p + 1, end);
    const value = skipSpace(skipSpace(close + 1, end) + 1, end);
    const valueEnd = skipValueAt(value, end, 0);
    const first = load<u8>(value);
    const found = propertyAt(rules, close);
    if (found != 0 && close - p == changetype<UserProperty>(found).length) {
      const property = changetype<UserProperty>(found);
      const field = changetype<UserField>(rules.fields + <usize>property.field * FIELD_BYTES);
      const isNested = first == 0x7b || first == 0x5b;
      if (isNested && found == field.own) field.isBlocked = 1;
      // Null fills nothing. The last of two members with one name holds, as in JSON.
      if (!isNested && first != NULL_START && (field.property == 0 || found <= field.property)) {
        field.property = found;
        field.value = value;
        field.valueEnd = valueEnd;
      }
    }
    p = skipSpace(valueEnd, end);
    if (load<u8>(p) == 0x2c) p = skipSpace(p + 1, end);
  }
  let any = false;
  for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
    const field = changetype<UserField>(at);
    if (field.isBlocked != 0) field.property = 0;
    if (field.property != 0) any = true;
  }
  return any;
}

/** Returns true for a member with the name of a field that is filled: the last one was written. */
@inline
function isTaken(rules: UserRules, close: usize, length: usize): bool {
  const found = propertyAt(rules, close);
  if (found == 0) return false;
  const property = changetype<UserProperty>(found);
  if (property.length != length) return false;
  const field = changetype<UserField>(rules.fields + <usize>property.field * FIELD_BYTES);
  return found == field.own && field.property != 0;
}

/** Returns true for a key, at its first quote, that is one of the ids. */
@inline
function isId(p: usize): bool {
  // "userID" and "stableID", as src/kernels/mapping/user.ts writes them.
  return load<u64>(p) == 0x2244497265737522 ||
    (load<u64>(p) == 0x49656c6261747322 && load<u16>(p, 8) == 0x2244);
}

/** Writes the user again: the ids, the fields, and all other members. Returns the address after it. */
function writeUser(rules: UserRules, start: usize, end: usize, target: usize): usize {
  let t = target;
  let p = skipSpace(start + 1, end);
  let hasFields = false;
  while (true) {
    const isEnd = load<u8>(p) == 0x7d;
    if (!hasFields && (isEnd || !isId(p))) {
      hasFields = true;
      t = writeFields(rules, t);
    }
    if (isEnd) break;
    const member = p;
    const close = skipString(p + 1, end);
    const value = skipSpace(skipSpace(close + 1, end) + 1, end);
    const valueEnd = skipValueAt(value, end, 0);
    if (!isTaken(rules, close, close - p)) {
      store<u8>(t, 0x2c);
      t = copyLoose(t + 1, member, valueEnd - member);
    }
    p = skipSpace(valueEnd, end);
    if (load<u8>(p) == 0x2c) p = skipSpace(p + 1, end);
  }
  // The first comma has the place of the brace.
  store<u8>(target, 0x7b);
  store<u8>(t, 0x7d);
  return t + 1;
}

/**
 * Marks the delivered rows whose user has properties that fill fields, and moves these to the front.
 * `output` has room for all users twice, 96 bytes more for each field of each of them, and 64 more.
 */
export function takeUsers(
  rules: UserRules, outcomes: usize, user: Column, marks: usize, rows: i32, output: usize,
): void {
  for (let row: i32 = 0; row < rows; row++) {
    if (load<u8>(outcomes + <usize>row) != 0) continue;
    const start = user.start(row);
    const end = start + user.length(row);
    const scanned = scanFields(rules, start, end);
    if (scanned == NO_FIELDS) continue;
    if (scanned == NEEDS_WALK && !findFields(rules, start, end)) continue;
    addMark(marks, row, MARK_USER);
    if (rules.replaces == 0) continue;
    const after = scanned == NEEDS_WALK
      ? writeUser(rules, start, end, output)
      : writeScanned(rules, start, end, output);
    if (rules.keeps != 0) continue;
    user.set(row, KIND_OBJECT, output, after - output);
    output = after;
  }
}
