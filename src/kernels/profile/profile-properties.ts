// Profiles the properties of events and users: the keys under each event name, and their values.
// Events of one name mostly have the same keys in the same order. So each key remembers its last
// successor, and the next member is compared with that before the lookup. Values are first noted,
// and counted when the object has ended: only then the last value of a repeated member is known.

import { equal, hashOf, mix, spread, spreadHash } from "../byte-hash";
import { Arena, DISTINCT_BYTES, findEntry, growTable, initTable, tableBytes } from "./frequent";
import { skipValueAt } from "../json/json-nested";
import { escaped, loneSurrogate, skipSpace, skipStringFast, unescape } from "../json/json-value";
import { contentsOf, HAS_EMAIL, HAS_SECRET, IS_BEYOND_QUERY, SecretNames } from "./personal-values";
import { Group, Key, keyAt, NO_DAY, Profile } from "./profile";
import { copyLoose } from "../utf8";

/** Upper bound of a key's bytes; longer keys are counted with those that did not fit. */
const KEY_BYTES_MAX: usize = 512;

/** Distinct values that have separate counts, before and after there are more of them. */
const VALUES_FEW: u32 = 8;
const VALUES_MAX: u32 = 64;
/** A value with its text. */
const VALUE_BYTES: u32 = 88;

/** A member of the current object: its key's index, and the position of its value. */
const MEMBER_BYTES: usize = 12;

const QUOTE: u8 = 0x22;
const COLON: u8 = 0x3a;
const LETTER_N: u8 = 0x6e;

/** Returns true if the member at `p` has this key, as far as that is known without its end. */
@inline
function startsWithKey(key: Key, p: usize, end: usize): bool {
  const length = <usize>key.length;
  if (key.isPlain == 0 || p + length + 2 > end) return false;
  return load<u8>(p + length + 1) == QUOTE && equal(key.start, p + 1, length);
}

/** Returns the index of a group's key, adding it if it fits; 0 if it does not. */
function findKey(profile: Profile, group: u32, start: usize, length: usize, isPlain: bool): u32 {
  if (length > KEY_BYTES_MAX) return 0;
  const hash = spread(mix(hashOf(start, length), <u64>group + 1));
  let probe = <u32>(hash >> 24) & profile.keyMask;
  let index = load<u32>(<usize>profile.keyIndex + ((<usize>probe) << 2));
  while (index != 0) {
    const key = keyAt(profile, index);
    if (
      key.hash == hash && key.group == group &&
      <usize>key.length == length && equal(key.start, start, length)
    ) return index;
    probe = (probe + 1) & profile.keyMask;
    index = load<u32>(<usize>profile.keyIndex + ((<usize>probe) << 2));
  }
  index = addKey(profile, group, start, length, isPlain, hash);
  if (index != 0) store<u32>(<usize>profile.keyIndex + ((<usize>probe) << 2), index);
  return index;
}

function addKey(
  profile: Profile, group: u32, start: usize, length: usize, isPlain: bool, hash: u64,
): u32 {
  const arena = changetype<Arena>(<usize>profile.arena);
  const bytes = DISTINCT_BYTES + tableBytes(VALUES_FEW, VALUE_BYTES);
  const index = profile.keyCount;
  if (index > profile.keysMax || <u32>length > profile.textEnd - profile.text) return 0;
  if (bytes > arena.end - arena.next) return 0;
  profile.keyCount = index + 1;
  const key = keyAt(profile, index);
  memory.fill(changetype<usize>(key), 0, offsetof<Key>());
  key.hash = hash;
  key.group = group;
  key.start = profile.text;
  copyLoose(<usize>profile.text, start, length);
  profile.text += <u32>length;
  key.length = <u32>length;
  key.isPlain = isPlain ? 1 : 0;
  key.isId = group == profile.namesMax && isId(key) ? 1 : 0;
  key.bytesMin = u32.MAX_VALUE;
  key.firstDay = i32.MAX_VALUE;
  key.lastDay = NO_DAY;
  key.numberMin = Infinity;
  key.numberMax = -Infinity;
  key.registers = arena.next;
  memory.fill(arena.next, 0, DISTINCT_BYTES);
  initTable(key.values, arena.next + DISTINCT_BYTES, VALUES_FEW, VALUE_BYTES);
  arena.next += bytes;
  return index;
}

/** Finds the key whose quoted text is at `p`; sets `keyEnd` after its closing quote. */
let keyEnd: usize = 0;
function readKey(profile: Profile, group: u32, p: usize, end: usize): u32 {
  const close = skipStringFast(p + 1, end);
  keyEnd = close + 1;
  const length = close - p - 1;
  if (!escaped) return findKey(profile, group, p + 1, length, true);
  // A text that is too long even without its escapes is not kept.
  if (length > KEY_BYTES_MAX * 6) return 0;
  const unescaped = unescape(p + 1, close, profile.scratch);
  // A text without UTF-8 is identified by its escaped form.
  if (loneSurrogate) return findKey(profile, group, p + 1, length, false);
  return findKey(profile, group, profile.scratch, unescaped, false);
}

/** Returns true if a key of a user is one of the ids, which are not properties. */
function isId(key: Key): bool {
  const start = <usize>key.start;
  if (key.length == 6) return load<u32>(start) == 0x72657375 && load<u16>(start, 4) == 0x4449;
  return key.length == 8 && load<u64>(start) == 0x4449656c62617473;
}

/**
 * Profiles the members of a checked object at [start, end). A repeated member counts once, with its
 * last value, as in JSON.parse. Returns true if a member that is not an id has a value.
 */
export function profileObject(
  profile: Profile, group: Group, number: u32, start: usize, end: usize,
): bool {
  group.rows++;
  const object = ++profile.objects;
  let member = profile.members;
  let p = skipSpace(start + 1, end);
  if (load<u8>(p) == 0x7d) return false;
  let isFilled = false;
  let expected = group.first;
  let previous: u32 = 0;
  for (;;) {
    let index = expected;
    if (index != 0 && startsWithKey(keyAt(profile, index), p, end)) {
      p += <usize>keyAt(profile, index).length + 2;
    } else {
      index = readKey(profile, number, p, end);
      p = keyEnd;
      if (previous == 0) group.first = index;
      else keyAt(profile, previous).next = index;
    }
    if (load<u8>(p) != COLON) p = skipSpace(p, end);
    p++;
    if (load<u8>(p) <= 0x20) p = skipSpace(p, end);
    const value = p;
    p = skipMember(p, end);
    const isNull = load<u8>(value) == LETTER_N;
    if (index == 0) {
      group.otherValues++;
      if (!isNull) isFilled = true;
      expected = 0;
      previous = 0;
    } else {
      const key = keyAt(profile, index);
      if (key.isId == 0) {
        if (!isNull) isFilled = true;
        if (key.object != object) {
          key.object = object;
          key.member = member;
          member += <u32>MEMBER_BYTES;
        }
        store<u32>(key.member, index);
        store<u32>(key.member, <u32>value, 4);
        store<u32>(key.member, <u32>(p - value), 8);
      }
      expected = key.next;
      previous = index;
    }
    if (load<u8>(p) <= 0x20) p = skipSpace(p, end);
    if (load<u8>(p) != 0x2c) break;
    p++;
    if (load<u8>(p) <= 0x20) p = skipSpace(p, end);
  }
  countMembers(profile, member);
  return isFilled;
}

@inline
function skipMember(p: usize, end: usize): usize {
  return load<u8>(p) == QUOTE ? skipStringFast(p + 1, end) + 1 : skipValueAt(p, end, 1);
}

function countMembers(profile: Profile, end: u32): void {
  const arena = changetype<Arena>(<usize>profile.arena);
  for (let member = profile.members; member < end; member += <u32>MEMBER_BYTES) {
    const key = keyAt(profile, load<u32>(member));
    const start = <usize>load<u32>(member, 4);
    countValue(profile, key, start, load<u32>(member, 8), arena);
    if (load<u8>(start) != LETTER_N) noteDay(key, profile.day);
  }
}

@inline
function noteDay(key: Key, day: i32): void {
  if (day == NO_DAY) return;
  if (day < key.firstDay) key.firstDay = day;
  if (day > key.lastDay) key.lastDay = day;
}

/** Counts a value; null counts only as null. */
@inline
function countValue(
  profile: Profile, key: Key, start: usize, length: u32, arena: Arena,
): void {
  key.rows++;
  const first = load<u8>(start);
  if (first == QUOTE) {
    key.strings++;
  } else if (first == 0x6e) {
    key.nulls++;
    return;
  } else if (first == 0x7b) {
    key.objects++;
  } else if (first == 0x5b) {
    key.arrays++;
  } else if (first == 0x74 || first == 0x66) {
    key.booleans++;
  } else {
    key.numbers++;
    const value = numberValue(start, start + length);
    if (value < key.numberMin) key.numberMin = value;
    if (value > key.numberMax) key.numberMax = value;
  }
  key.bytes += <f64>length;
  if (length < key.bytesMin) key.bytesMin = length;
  if (length > key.bytesMax) key.bytesMax = length;
  const values = key.values;
  if (values.count == values.max && values.max < VALUES_MAX) growTable(values, VALUES_MAX, arena);
  const entry = findEntry(values, start, length, spreadHash(start, length));
  if (entry.rows++ == 0) {
    entry.contents = contentsOf(changetype<SecretNames>(<usize>profile.secretNames), start, length);
  }
  if (entry.contents != 0) noteContents(key, entry.contents);
}

function noteContents(key: Key, contents: u32): void {
  key.personal++;
  if (contents & HAS_EMAIL) key.emails++;
  if (contents & HAS_SECRET) key.secrets++;
  if (contents & IS_BEYOND_QUERY) key.beyondQuery++;
}

const POWERS: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]);

@inline
function digitAt(p: usize): u32 {
  return <u32>load<u8>(p) - 0x30;
}

function scaled(mantissa: f64, power: i32): f64 {
  const size = <usize>(power < 0 ? -power : power);
  if (size <= 22) {
    const factor = load<f64>(POWERS + (size << 3));
    return power < 0 ? mantissa / factor : mantissa * factor;
  }
  // In two steps, because the power alone may be too small or too large for a double.
  return mantissa * Math.pow(10, <f64>(power / 2)) * Math.pow(10, <f64>(power - power / 2));
}

/**
 * Returns the checked number in [start, end) as a double, to within a few units in the last place: for
 * ranges, not for values in the output. Numbers that are too large become the largest double.
 */
function numberValue(start: usize, end: usize): f64 {
  let p = start;
  const negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  let mantissa: u64 = 0;
  let power: i32 = 0;
  let digits = 0;
  for (; p < end; p++) {
    const digit = digitAt(p);
    if (digit > 9) break;
    if (digits < 18) mantissa = mantissa * 10 + digit;
    else power++;
    if (mantissa != 0) digits++;
  }
  if (p < end && load<u8>(p) == 0x2e) {
    for (p++; p < end; p++) {
      const digit = digitAt(p);
      if (digit > 9) break;
      if (digits >= 18) continue;
      mantissa = mantissa * 10 + digit;
      power--;
      if (mantissa != 0) digits++;
    }
  }
  if (p < end) {
    p++;
    const isSmall = load<u8>(p) == 0x2d;
    if (isSmall || load<u8>(p) == 0x2b) p++;
    let exponent: i32 = 0;
    for (; p < end; p++) exponent = min<i32>(exponent * 10 + <i32>digitAt(p), 100000);
    power += isSmall ? -exponent : exponent;
  }
  const size = mantissa == 0 ? 0 : min<f64>(scaled(<f64>mantissa, max<i32>(min<i32>(power, 400), -400)), f64.MAX_VALUE);
  return negative ? -size : size;
}
