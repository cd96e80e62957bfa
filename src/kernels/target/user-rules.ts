// The fields that a target looks for at the top level of a user. They are written to the front, behind the
// ids; the sinks write what is in front at the top level (src/kernels/sink/platform-user.ts). A property
// of another name that fills a field stays where it is, so that nothing is lost. Most users have the same properties in the same
// order, and the last two bytes of a key tell nearly all of the others apart.

import { Column, KIND_OBJECT } from "../column";
import { skipValueAt } from "../json/json-nested";
import { skipSpace, skipString } from "../json/json-value";
import { copyLoose } from "../utf8";
import { addMark, MARK_USER } from "./event-rules";

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
  propertiesEnd: usize;
  fields: usize;
  fieldsEnd: usize;
  /** A bit for each pair of bytes: set if a property ends in it. */
  endings: usize;
  /** Set if properties move. */
  replaces: u32;
}

/** Returns the value of the member at `p` if it is a field of the target, as `writeUser` writes it; else 0. */
export function userFieldValue(rules: UserRules, p: usize, end: usize): usize {
  for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
    const field = changetype<UserField>(at);
    if (p + field.length <= end && memory.compare(p, field.key, field.length) == 0) {
      return p + field.length;
    }
  }
  return 0;
}

/** Returns the property whose key ends before the quote at `close`; 0 if there is none. */
@inline
function propertyAt(rules: UserRules, close: usize): usize {
  const ending = <usize>load<u16>(close - 2);
  if (((load<u8>(rules.endings + (ending >> 3)) >> (<u8>(ending & 7))) & 1) == 0) return 0;
  for (let at = rules.properties; at < rules.propertiesEnd; at += PROPERTY_BYTES) {
    const property = changetype<UserProperty>(at);
    const start = close - property.length;
    if (memory.compare(start, property.key, property.length) == 0) return at;
  }
  return 0;
}

/** Returns true if an object may have a property that fills a field; false is certain. */
function mayHaveFields(rules: UserRules, start: usize, end: usize): bool {
  const quote = i8x16.splat(0x22);
  for (let p = start + 1; p < end; p += 16) {
    const after = v128.load(p, 1);
    const isQuote = i8x16.eq(v128.load(p), quote);
    if (v128.any_true(v128.and(isQuote, i8x16.le_u(after, i8x16.splat(0x20))))) return true;
    let ends = <u32>i8x16.bitmask(v128.and(isQuote, i8x16.eq(after, i8x16.splat(0x3a))));
    for (; ends != 0; ends &= ends - 1) {
      const close = p + <usize>ctz(ends);
      if (close < end && propertyAt(rules, close) != 0) return true;
    }
  }
  return false;
}

/** Finds the property for each field. Returns false if there is none. */
function findFields(rules: UserRules, start: usize, end: usize): bool {
  for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
    const field = changetype<UserField>(at);
    field.property = 0;
    field.isBlocked = 0;
  }
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

/** Returns true for a member with the name of a field that is filled: it was written, or is null. */
@inline
function isTaken(rules: UserRules, value: usize, close: usize, length: usize): bool {
  const found = propertyAt(rules, close);
  if (found == 0) return false;
  const property = changetype<UserProperty>(found);
  if (property.length != length) return false;
  const field = changetype<UserField>(rules.fields + <usize>property.field * FIELD_BYTES);
  if (field.property == 0) return false;
  return found == field.own && (field.value == value || load<u8>(value) == NULL_START);
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
      for (let at = rules.fields; at < rules.fieldsEnd; at += FIELD_BYTES) {
        const field = changetype<UserField>(at);
        if (field.property == 0) continue;
        const property = changetype<UserProperty>(field.property);
        if (field.property != field.own) property.rows++;
        store<u8>(t, 0x2c);
        t = copyLoose(t + 1, field.key, field.length);
        t = copyLoose(t, field.value, field.valueEnd - field.value);
      }
    }
    if (isEnd) break;
    const member = p;
    const close = skipString(p + 1, end);
    const value = skipSpace(skipSpace(close + 1, end) + 1, end);
    const valueEnd = skipValueAt(value, end, 0);
    if (!isTaken(rules, value, close, close - p)) {
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
    if (!mayHaveFields(rules, start, end) || !findFields(rules, start, end)) continue;
    addMark(marks, row, MARK_USER);
    if (rules.replaces == 0) continue;
    const after = writeUser(rules, start, end, output);
    user.set(row, KIND_OBJECT, output, after - output);
    output = after;
  }
}
