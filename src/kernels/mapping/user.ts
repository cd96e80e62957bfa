// Makes JSON objects of cells: the user of an event, and objects of lists of fields. The user is
// `{"userID":"…","stableID":"…"` and then the inside of the properties' object. A property with the
// name of an id would be a duplicate, so it is dropped, or made text if the id is null. Hardly any
// row has one, and finding it needs a walk over all members. Hence three steps, each for rows that
// the previous one leaves: copying while looking for `D"` or a backslash (`copyInside`); if there
// was one, looking for `ID"` (`mayCollide`) before copying; member by member (`copyOthers`).

import { Column, KIND_NULL, KIND_OBJECT } from "../column";
import { skipValueAt } from "../json/json-nested";
import { escaped, escapeShort, escapeString, skipSpace, skipString, unescape } from "../json/json-value";
import { copyLoose, copyWide } from "../utf8";

/** Bytes of a merged user without its properties and without six for each byte of the ids. */
const USER_FRAME_BYTES: f64 = 64;

/** Returns an upper bound of the bytes that `mergeUsers` needs. */
export function mergedBytes(
  outcomes: usize, properties: Column, userID: Column, stableID: Column, rows: i32,
): f64 {
  let sum: f64 = 64;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    sum += USER_FRAME_BYTES;
    const hasUserID = userID.kind(row) != KIND_NULL;
    const hasStableID = stableID.kind(row) != KIND_NULL;
    if (hasUserID) sum += <f64>(userID.length(row) * 6);
    if (hasStableID) sum += <f64>(stableID.length(row) * 6);
    if (properties.kind(row) == KIND_NULL) continue;
    const length = properties.length(row);
    sum += <f64>length;
    // JSON as text takes at most twice its bytes, and two that the member's name already paid for.
    // Looking for such a member twice does not pay off: unwritten room costs nothing.
    if (!(hasUserID && hasStableID)) sum += <f64>length;
  }
  return sum;
}

const USER_ID: usize = memory.data<u8>([0x75, 0x73, 0x65, 0x72, 0x49, 0x44]);
const USER_ID_BYTES: usize = 6;
const STABLE_ID: usize = memory.data<u8>([0x73, 0x74, 0x61, 0x62, 0x6c, 0x65, 0x49, 0x44]);
const STABLE_ID_BYTES: usize = 8;

const QUOTE: u8 = 0x22;
/** The first byte of null; no other JSON value begins with it. */
const NULL_START: u8 = 0x6e;

/** `"userID":"` and `"stableID":"`, sixteen bytes each so that they are copied in one step. */
const USER_ID_HEAD: usize = memory.data<u8>([
  0x22, 0x75, 0x73, 0x65, 0x72, 0x49, 0x44, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0,
]);
const USER_ID_HEAD_BYTES: usize = 10;
const STABLE_ID_HEAD: usize = memory.data<u8>([
  0x22, 0x73, 0x74, 0x61, 0x62, 0x6c, 0x65, 0x49, 0x44, 0x22, 0x3a, 0x22, 0, 0, 0, 0,
]);
const STABLE_ID_HEAD_BYTES: usize = 12;

/** Appends `"name":"text"`; `head` is the part before the text. */
@inline
function writeId(t: usize, head: usize, headBytes: usize, text: usize, length: usize): usize {
  v128.store(t, v128.load(head));
  t = escapeShort(text, length, t + headBytes);
  store<u8>(t, QUOTE);
  return t + 1;
}

/** Copies sixteen bytes; not zero if one of them may be part of an id's name: `D"`, an escape. */
@inline
function copyStep(target: usize, source: usize): v128 {
  const bytes = v128.load(source);
  v128.store(target, bytes);
  const isEnd = v128.and(
    i8x16.eq(bytes, i8x16.splat(0x44)),
    i8x16.eq(v128.load(source, 1), i8x16.splat(0x22)),
  );
  return v128.or(isEnd, i8x16.eq(bytes, i8x16.splat(0x5c)));
}

/**
 * Copies the inside of an object to `t` unless a member may be named like an id: then it returns 0,
 * and the written bytes do not count. Looking for names while copying takes 31 ns a row instead of
 * 35. May read and write 64 bytes past the end.
 */
@inline
function copyInside(t: usize, p: usize, end: usize): usize {
  const length = end - p;
  for (let i: usize = 0; i < length; i += 64) {
    const first = v128.or(copyStep(t + i, p + i), copyStep(t + i + 16, p + i + 16));
    const second = v128.or(copyStep(t + i + 32, p + i + 32), copyStep(t + i + 48, p + i + 48));
    if (v128.any_true(v128.or(first, second))) return 0;
  }
  return t + length;
}

/**
 * Returns true if a member may be named like an id; false is certain. An id's name ends in `ID"`
 * unless it is written with an escape.
 */
function mayCollide(p: usize, end: usize): bool {
  const upperI = i8x16.splat(0x49);
  const upperD = i8x16.splat(0x44);
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const lowerU = i8x16.splat(0x75);
  for (; p < end; p += 16) {
    const a = v128.load(p);
    const b = v128.load(p, 1);
    const c = v128.load(p, 2);
    const named = v128.and(v128.and(i8x16.eq(a, upperI), i8x16.eq(b, upperD)), i8x16.eq(c, quote));
    const escape = v128.and(i8x16.eq(a, backslash), i8x16.eq(b, lowerU));
    if (v128.any_true(v128.or(named, escape))) return true;
  }
  return false;
}

/** `scratch` has room for the key's bytes. */
function keyIs(
  key: usize, end: usize, hasEscape: bool, name: usize, nameLength: usize, scratch: usize,
): bool {
  let length = end - key;
  if (hasEscape) {
    length = unescape(key, end, scratch);
    key = scratch;
  }
  return length == nameLength && memory.compare(key, name, nameLength) == 0;
}

/** Results of the last `copyOthers`: ids found among the members, and if one was made text. */
let foundUserID: bool = false;
let foundStableID: bool = false;
let madeText: bool = false;

/**
 * Appends a comma and each member of the inside of an object that is not named like a given id. A
 * member named like an id that is not given must be text, as ids are: null is dropped, and any
 * other value becomes its JSON as text.
 */
function copyOthers(t: usize, p: usize, end: usize, hasUserID: bool, hasStableID: bool): usize {
  foundUserID = false;
  foundStableID = false;
  madeText = false;
  while (true) {
    const member = p;
    const key = skipSpace(p, end) + 1;
    const keyEnd = skipString(key, end);
    const hasEscape = escaped;
    const value = skipSpace(skipSpace(keyEnd + 1, end) + 1, end);
    const valueEnd = skipValueAt(value, end, 1);
    p = skipSpace(valueEnd, end);
    const isUserID = keyIs(key, keyEnd, hasEscape, USER_ID, USER_ID_BYTES, t);
    const isStableID = keyIs(key, keyEnd, hasEscape, STABLE_ID, STABLE_ID_BYTES, t);
    const first = load<u8>(value);
    if (hasUserID && isUserID) {
      foundUserID = true;
    } else if (hasStableID && isStableID) {
      foundStableID = true;
    } else if (!(isUserID || isStableID) || first == QUOTE) {
      store<u8>(t, 0x2c);
      t = copyLoose(t + 1, member, p - member);
    } else if (first != NULL_START) {
      madeText = true;
      store<u8>(t, 0x2c);
      t = copyLoose(t + 1, member, value - member);
      store<u8>(t, QUOTE);
      t = escapeString(value, valueEnd - value, t + 1);
      store<u8>(t++, QUOTE);
    }
    if (p >= end) return t;
    p++;
  }
}

/**
 * Writes each row's user to `output` (`mergedBytes` bytes) and points `target` at it: the ids, then
 * the properties (objects or null) byte for byte, except those named like an id (`copyOthers`).
 * Adds to the three u32 at `collisions` the rows whose properties had a given userID or stableID,
 * and the rows in which one was made text.
 */
export function mergeUsers(
  outcomes: usize, target: Column, properties: Column, userID: Column, stableID: Column, rows: i32,
  output: usize, collisions: usize,
): void {
  let t = output;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    const start = t;
    const hasUserID = userID.kind(row) != KIND_NULL;
    const hasStableID = stableID.kind(row) != KIND_NULL;
    store<u8>(t++, 0x7b);
    if (hasUserID) {
      const length = userID.length(row);
      t = writeId(t, USER_ID_HEAD, USER_ID_HEAD_BYTES, userID.start(row), length);
    }
    if (hasStableID) {
      if (hasUserID) store<u8>(t++, 0x2c);
      const length = stableID.length(row);
      t = writeId(t, STABLE_ID_HEAD, STABLE_ID_HEAD_BYTES, stableID.start(row), length);
    }
    if (properties.kind(row) != KIND_NULL) {
      const inside = properties.start(row) + 1;
      const end = inside + properties.length(row) - 2;
      if (load<u8>(inside) == QUOTE || skipSpace(inside, end) != end) {
        const copied = copyInside(t + 1, inside, end);
        if (copied != 0) {
          store<u8>(t, 0x2c);
          t = copied;
        } else if (mayCollide(inside, end)) {
          t = copyOthers(t, inside, end, hasUserID, hasStableID);
          if (foundUserID) store<u32>(collisions, load<u32>(collisions) + 1);
          if (foundStableID) store<u32>(collisions, load<u32>(collisions, 4) + 1, 4);
          if (madeText) store<u32>(collisions, load<u32>(collisions, 8) + 1, 8);
        } else {
          store<u8>(t, 0x2c);
          t = copyWide(t + 1, inside, end - inside);
        }
      }
    }
    store<u8>(t++, 0x7d);
    target.set(row, KIND_OBJECT, start, t - start);
  }
}

/** One field of a list: its column and its key as JSON with quotes and colon. */
@unmanaged
class ObjectMember {
  column: Column;
  key: usize;
  keyLength: usize;
}

const MEMBER_BYTES: usize = offsetof<ObjectMember>();

/**
 * Writes for each row an object of its `count` fields at `members` (columns of JSON tokens) that
 * are not null, and points `target` at it. `output` has room for all tokens, each with its key and
 * a comma, for each row's braces, and 64 bytes more.
 */
export function buildObjects(
  outcomes: usize, target: Column, members: usize, count: i32, rows: i32, output: usize,
): void {
  let t = output;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    const start = t;
    store<u8>(t++, 0x7b);
    for (let index = 0; index < count; index++) {
      const member = changetype<ObjectMember>(members + <usize>index * MEMBER_BYTES);
      if (member.column.kind(row) == KIND_NULL) continue;
      if (t != start + 1) store<u8>(t++, 0x2c);
      t = copyLoose(t, member.key, member.keyLength);
      t = copyLoose(t, member.column.start(row), member.column.length(row));
    }
    store<u8>(t++, 0x7d);
    target.set(row, KIND_OBJECT, start, t - start);
  }
}
