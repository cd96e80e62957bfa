// Profiles the properties of events and users: the keys under each event name, and their values.
// Events of one name mostly have the same keys in the same order. So each key remembers its last
// successor, and the next member is compared with that before the lookup. Values are first noted,
// and counted when the object has ended: only then the last value of a repeated member is known.

import { equal, hashOf, mix, spread, spreadHash } from "../byte-hash";
import {
  Arena, DISTINCT_BYTES, findEntry, growTable, placeTable, tableBytes,
} from "./frequent";
import { skipValueAt } from "../json/json-nested";
import { escaped, loneSurrogate, skipSpace, skipStringFast, unescape } from "../json/json-value";
import { numberValue } from "./number-value";
import { Group, Key, keyAt, Profile } from "./profile";
import { copyLoose } from "../utf8";

/** Upper bound of a key's bytes; longer keys are counted with those that did not fit. */
const KEY_BYTES_MAX: usize = 512;

/** Distinct values that have separate counts, before and after there are more of them. */
const VALUES_FEW: u32 = 8;
const VALUES_MAX: u32 = 64;
/** A value with its text. */
const VALUE_BYTES: u32 = 80;

/** A member of the current object: its key's index, and the position of its value. */
const MEMBER_BYTES: usize = 12;

const QUOTE: u8 = 0x22;
const COLON: u8 = 0x3a;

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
  let place = load<u32>(<usize>profile.keyIndex + ((<usize>probe) << 2));
  while (place != 0) {
    const key = keyAt(profile, place);
    if (
      key.hash == hash && key.group == group &&
      <usize>key.length == length && equal(key.start, start, length)
    ) return place;
    probe = (probe + 1) & profile.keyMask;
    place = load<u32>(<usize>profile.keyIndex + ((<usize>probe) << 2));
  }
  place = addKey(profile, group, start, length, isPlain, hash);
  if (place != 0) store<u32>(<usize>profile.keyIndex + ((<usize>probe) << 2), place);
  return place;
}

function addKey(
  profile: Profile,
  group: u32,
  start: usize,
  length: usize,
  isPlain: bool,
  hash: u64,
): u32 {
  const arena = changetype<Arena>(<usize>profile.arena);
  const bytes = DISTINCT_BYTES + tableBytes(VALUES_FEW, VALUE_BYTES);
  const place = profile.keyCount;
  if (place > profile.keysMax || <u32>length > profile.textEnd - profile.text) return 0;
  if (bytes > arena.end - arena.next) return 0;
  profile.keyCount = place + 1;
  const key = keyAt(profile, place);
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
  key.numberMin = Infinity;
  key.numberMax = -Infinity;
  key.registers = arena.next;
  memory.fill(arena.next, 0, DISTINCT_BYTES);
  placeTable(key.values, arena.next + DISTINCT_BYTES, VALUES_FEW, VALUE_BYTES);
  arena.next += bytes;
  return place;
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
 * last value, as in JSON.parse.
 */
export function profileObject(
  profile: Profile,
  group: Group,
  number: u32,
  start: usize,
  end: usize,
): void {
  group.rows++;
  const object = ++profile.objects;
  let member = profile.members;
  let p = skipSpace(start + 1, end);
  if (load<u8>(p) == 0x7d) return;
  let expected = group.first;
  let previous: u32 = 0;
  for (;;) {
    let place = expected;
    if (place != 0 && startsWithKey(keyAt(profile, place), p, end)) {
      p += <usize>keyAt(profile, place).length + 2;
    } else {
      place = readKey(profile, number, p, end);
      p = keyEnd;
      if (previous == 0) group.first = place;
      else keyAt(profile, previous).next = place;
    }
    if (load<u8>(p) != COLON) p = skipSpace(p, end);
    p++;
    if (load<u8>(p) <= 0x20) p = skipSpace(p, end);
    const value = p;
    p = skipMember(p, end);
    if (place == 0) {
      group.otherValues++;
      expected = 0;
      previous = 0;
    } else {
      const key = keyAt(profile, place);
      if (key.isId == 0) {
        if (key.object != object) {
          key.object = object;
          key.member = member;
          member += <u32>MEMBER_BYTES;
        }
        store<u32>(key.member, place);
        store<u32>(key.member, <u32>value, 4);
        store<u32>(key.member, <u32>(p - value), 8);
      }
      expected = key.next;
      previous = place;
    }
    if (load<u8>(p) <= 0x20) p = skipSpace(p, end);
    if (load<u8>(p) != 0x2c) break;
    p++;
    if (load<u8>(p) <= 0x20) p = skipSpace(p, end);
  }
  countMembers(profile, member);
}

@inline
function skipMember(p: usize, end: usize): usize {
  return load<u8>(p) == QUOTE ? skipStringFast(p + 1, end) + 1 : skipValueAt(p, end, 1);
}

function countMembers(profile: Profile, end: u32): void {
  const arena = changetype<Arena>(<usize>profile.arena);
  for (let member = profile.members; member < end; member += <u32>MEMBER_BYTES) {
    const key = keyAt(profile, load<u32>(member));
    countValue(key, load<u32>(member, 4), load<u32>(member, 8), arena);
  }
}

/** Counts a value; null counts only as null. */
@inline
function countValue(key: Key, start: usize, length: u32, arena: Arena): void {
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
  findEntry(values, start, length, spreadHash(start, length)).rows++;
}
