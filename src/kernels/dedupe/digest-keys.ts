// Digests of the keys by which repeated events are recognized. A digest has 128 bits, because events
// with equal digests are removed without a further look: among 10 billion different keys, two have
// the same digest with a probability of 10^-19; with 64 bits, it would be almost certain. The two
// halves come from independent hashes, the rounds of XXH64 and of the second half of MurmurHash3
// x64, which have other constants and rotations: keys that collide in one do not in the other.
//
// Each column adds its length, or a word for null, before its bytes. So ("a", "bc") differs from
// ("ab", "c"), and null from empty text. A JSON scalar adds its text, without quotes and escapes.
//
//   entry  │ digest: four u32 │ ordinal among delivered rows │ row │

import { lowBytes } from "../byte-hash";
import { Column, columnAt, KIND_NULL } from "../column";
import { loneSurrogate, unescape } from "../json/json-value";

const XXH_1: u64 = 0x9e3779b185ebca87;
const XXH_2: u64 = 0xc2b2ae3d27d4eb4f;
const XXH_3: u64 = 0x165667b19e3779f9;
const XXH_4: u64 = 0x85ebca77c2b2ae63;
const XXH_5: u64 = 0x27d4eb2f165667c5;
const MURMUR_1: u64 = 0x87c37b91114253d5;
const MURMUR_2: u64 = 0x4cf5ad432745937f;

/** The length of null. */
const NULL_LENGTH: u64 = u64.MAX_VALUE;

/** The rows of an event batch and the parts of their keys. Made in src/dedupe/key-digests.ts. */
@unmanaged
export class KeyRows {
  rows: u32;
  outcomes: u32;
  /** Address of the addresses of the columns in the key, one u32 each. */
  columns: u32;
  columnCount: u32;
  /** A row whose cell in this column is null has no key; 0 if every row has one. */
  required: u32;
  /** Doubles; 0 if times are not in the key. */
  timestamps: u32;
  /** One i32 for each row; 0 if the day is not in the key. */
  days: u32;
  /** Index of each row among those of its source row, one u32 each; 0 if all are 0. */
  siblings: u32;
  /** One entry for each row with a key. */
  entries: u32;
  /** The bucket of each entry, one u16 each. */
  buckets: u32;
  /** Bits of a bucket that come from the day, and from the digest. */
  dayBits: u32;
  digestBits: u32;
  /** Address of the column of JSON scalars; 0 if the key has none. */
  scalars: u32;
  /** Room for the text of one scalar. */
  scratch: u32;
}

@inline
function addToFirst(hash: u64, word: u64): u64 {
  return rotl(hash ^ (rotl(word * XXH_2, 31) * XXH_1), 27) * XXH_1 + XXH_4;
}

@inline
function addToSecond(hash: u64, word: u64): u64 {
  return rotl(hash ^ (rotl(word * MURMUR_2, 33) * MURMUR_1), 31) * 5 + 0x38495ab5;
}

@inline
function endFirst(hash: u64): u64 {
  hash = (hash ^ (hash >> 33)) * XXH_2;
  hash = (hash ^ (hash >> 29)) * XXH_3;
  return hash ^ (hash >> 32);
}

@inline
function endSecond(hash: u64): u64 {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

let textStart: usize = 0;
let textLength: usize = 0;

/** Finds the text of a JSON string, as outputs hold it; `gatherCells` makes the same. */
function takeText(start: usize, end: usize, scratch: usize): void {
  const length = unescape(start, end, scratch);
  textStart = loneSurrogate ? start : scratch;
  textLength = loneSurrogate ? end - start : length;
}

/** Writes the digest of a row's key to `entry` and returns the day in the key. */
@inline
function digestRow(keys: KeyRows, row: i32, entry: usize): u32 {
  const at = (<usize>row) << 2;
  const sibling: u64 = keys.siblings == 0 ? 0 : load<u32>(<usize>keys.siblings + at);
  const day: u32 = keys.days == 0 ? 0 : load<u32>(<usize>keys.days + at);
  const head = (sibling << 32) | day;
  let first = addToFirst(XXH_5, head);
  let second = addToSecond(MURMUR_1, head);
  if (keys.timestamps != 0) {
    const time = <u64>(<i64>load<f64>(<usize>keys.timestamps + ((<usize>row) << 3)));
    first = addToFirst(first, time);
    second = addToSecond(second, time);
  }
  for (let index = 0; index < <i32>keys.columnCount; index++) {
    const column = columnAt(keys.columns, index);
    const isNull = column.kind(row) == KIND_NULL;
    let p = column.start(row);
    let length: usize = isNull ? 0 : column.length(row);
    if (changetype<usize>(column) == keys.scalars && length >= 2 && load<u8>(p) == 0x22) {
      takeText(p + 1, p + length - 1, keys.scratch);
      p = textStart;
      length = textLength;
    }
    const framed = isNull ? NULL_LENGTH : <u64>length;
    first = addToFirst(first, framed);
    second = addToSecond(second, framed);
    const end = p + length;
    for (; p + 8 <= end; p += 8) {
      const word = load<u64>(p);
      first = addToFirst(first, word);
      second = addToSecond(second, word);
    }
    if (length != 0 && p < end) {
      const word = lowBytes(load<u64>(p), end - p);
      first = addToFirst(first, word);
      second = addToSecond(second, word);
    }
  }
  store<u64>(entry, endFirst(first));
  store<u64>(entry, endSecond(second), 8);
  return day;
}

/**
 * Writes an entry for each delivered row that has a key, in order, and returns their number. The
 * first delivered row has the ordinal `ordinal`; rows without a key have one too.
 */
export function digestKeys(keys: KeyRows, ordinal: u32): u32 {
  const rows = <i32>keys.rows;
  const outcomes = <usize>keys.outcomes;
  const required = <usize>keys.required;
  const dayMask: u32 = (1 << keys.dayBits) - 1;
  let entry = <usize>keys.entries;
  let bucket = <usize>keys.buckets;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    const own = ordinal++;
    if (required != 0 && changetype<Column>(required).kind(row) == KIND_NULL) continue;
    const day = digestRow(keys, row, entry);
    store<u32>(entry, own, 16);
    store<u32>(entry, <u32>row, 20);
    const digestClass = <u32>(load<u64>(entry) >> (64 - keys.digestBits));
    store<u16>(bucket, <u16>(((day & dayMask) << keys.digestBits) | digestClass));
    entry += 24;
    bucket += 2;
  }
  return <u32>((entry - <usize>keys.entries) / 24);
}
