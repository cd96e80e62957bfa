// Makes objects of lists of pairs: `[{"key": "plan", "value": {"text": "free"}}]` becomes `{"plan":
// "free"}`. Each element is scanned like a separate row, into columns of one row, and becomes a
// `Record` that points at key and value. After the end of the list, records with the same key are
// united, and the rest is written.

import { equal, hashOf } from "../byte-hash";
import {
  Column, KIND_ARRAY, KIND_MALFORMED_STRING, KIND_NULL, KIND_OBJECT, KIND_STRING,
} from "../column";
import { scanObject, setScratch } from "../json/json-fields";
import { Node, clearRow } from "../json/json-node";
import { loneSurrogate, skipScalar, skipSpace, skipString, unescape } from "../json/json-value";
import { copyLoose, validateUtf8 } from "../utf8";

/** The requested fields of each pair; laid out and sized by src/mapper/pairs-target.ts. */
@unmanaged
class Pairs {
  /** The `Node` with the wanted members of an element. */
  node: usize;
  /** Two columns (text and JSON, of one row each) for each key, then for each value. */
  table: usize;
  keyCount: i32;
  valueCount: i32;
  /** One u32 for each value: 1 if text that is a number becomes that number. */
  flags: usize;
  /** Room for unescaped texts, and for the stretches that `scanObject` keeps. */
  scratch: usize;
  kept: usize;
  /** Room for a `Record` for each pair of the longest list, and u32 slots of their hash table. */
  records: usize;
  slots: usize;
}

/** One pair of the current list. */
@unmanaged
class Record {
  /** The key as a JSON string; 0 if an earlier pair with this key has taken over the value. */
  token: usize;
  tokenLength: usize;
  /** The key's text. */
  key: usize;
  keyLength: usize;
  hash: u32;
  /** The value as JSON; length 0 for null. */
  value: usize;
  valueLength: usize;
}

const RECORD_BYTES: usize = offsetof<Record>();

// Results of `collect` instead of a count.
/** There is no list: null, an empty text, or `null` as text. */
const NO_LIST: i32 = -1;
/** The cell is not a list of pairs. */
const NO_PAIRS: i32 = -2;

@inline
function recordAt(pairs: Pairs, index: i32): Record {
  return changetype<Record>(pairs.records + <usize>index * RECORD_BYTES);
}

@inline
function columnAt(pairs: Pairs, index: i32): Column {
  return changetype<Column>(<usize>load<u32>(pairs.table + (<usize>index << 2)));
}

/** Returns the bytes of the longest cell of the rows without an outcome. */
export function longestCell(outcomes: usize, column: Column, rows: i32): f64 {
  let longest: usize = 0;
  for (let row = 0; row < rows; row++) {
    if (column.kind(row) == KIND_NULL || load<u8>(outcomes + row) != 0) continue;
    longest = max(longest, column.length(row));
  }
  return <f64>longest;
}

/** Stores key and value of the scanned element. Returns false if the key is not text. */
@inline
function fillRecord(pairs: Pairs, record: Record): bool {
  const keys = pairs.keyCount;
  let index = 0;
  while (index < keys && columnAt(pairs, index << 1).kind(0) == KIND_NULL) index++;
  if (index == keys) return false;
  const text = columnAt(pairs, index << 1);
  const kind = text.kind(0);
  if (kind != KIND_STRING && kind != KIND_MALFORMED_STRING) return false;
  const token = columnAt(pairs, (index << 1) + 1);
  record.token = token.start(0);
  record.tokenLength = token.length(0);
  record.key = text.start(0);
  record.keyLength = text.length(0);
  record.hash = <u32>(hashOf(record.key, record.keyLength) >> 32);
  record.valueLength = 0;
  for (let value = 0; value < pairs.valueCount; value++) {
    const json = columnAt(pairs, ((keys + value) << 1) + 1);
    if (json.kind(0) == KIND_NULL) continue;
    record.value = json.start(0);
    record.valueLength = json.length(0);
    if (load<u32>(pairs.flags + (<usize>value << 2)) != 0 && json.kind(0) == KIND_STRING) {
      takeNumber(columnAt(pairs, (keys + value) << 1), record);
    }
    break;
  }
  return true;
}

/** Makes the value the inside of its text if that is a JSON number. */
function takeNumber(text: Column, record: Record): void {
  const start = text.start(0);
  const end = start + text.length(0);
  if (start == end || text.kind(0) != KIND_STRING) return;
  const first = <u32>load<u8>(start);
  if (first != 0x2d && first - 0x30 > 9) return;
  if (skipScalar(start, end) != end) return;
  record.value = start;
  record.valueLength = end - start;
}

/** Returns the number of records of the list that is all of [p, end), or NO_PAIRS. */
function collectList(pairs: Pairs, p: usize, end: usize): i32 {
  const node = changetype<Node>(pairs.node);
  let count = 0;
  p = skipSpace(p + 1, end);
  if (p < end && load<u8>(p) == 0x5d) return skipSpace(p + 1, end) == end ? 0 : NO_PAIRS;
  while (true) {
    if (p >= end || load<u8>(p) != 0x7b) return NO_PAIRS;
    clearRow(node, 0);
    p = scanObject(p, end, node, 0, 1);
    if (p == 0 || !fillRecord(pairs, recordAt(pairs, count))) return NO_PAIRS;
    count++;
    p = skipSpace(p, end);
    if (p >= end) return NO_PAIRS;
    const c = load<u8>(p);
    p = skipSpace(p + 1, end);
    if (c == 0x5d) return p == end ? count : NO_PAIRS;
    if (c != 0x2c) return NO_PAIRS;
  }
}

/** Returns the number of records of a cell's list: JSON, text, or text quoted twice. */
function collect(pairs: Pairs, lists: Column, row: i32): i32 {
  const kind = lists.kind(row);
  let p = lists.start(row);
  let end = p + lists.length(row);
  setScratch(pairs.scratch, pairs.kept);
  if (kind == KIND_ARRAY) return collectList(pairs, p, end);
  if (kind != KIND_STRING) return NO_PAIRS;
  p = skipSpace(p, end);
  if (p < end && load<u8>(p) == 0x22) {
    const close = skipString(p + 1, end);
    if (close == 0 || skipSpace(close + 1, end) != end) return NO_PAIRS;
    end = pairs.scratch + unescape(p + 1, close, pairs.scratch);
    if (loneSurrogate) return NO_PAIRS;
    setScratch(end, pairs.kept);
    p = skipSpace(pairs.scratch, end);
  }
  if (p == end) return NO_LIST;
  if (end - p >= 4 && load<u32>(p) == 0x6c6c756e) {
    return skipSpace(p + 4, end) == end ? NO_LIST : NO_PAIRS;
  }
  if (load<u8>(p) != 0x5b || validateUtf8(p, end) == 0) return NO_PAIRS;
  return collectList(pairs, p, end);
}

/** Leaves one of the pairs with the same key: at the first position, with the last value. */
function uniteRepeated(pairs: Pairs, count: i32): void {
  const size = <usize>1 << <usize>(32 - clz<u32>(<u32>(2 * count - 1)));
  const mask = <u32>size - 1;
  memory.fill(pairs.slots, 0, size << 2);
  for (let index = 0; index < count; index++) {
    const record = recordAt(pairs, index);
    let slot = record.hash & mask;
    while (true) {
      const address = pairs.slots + (<usize>slot << 2);
      const taken = load<u32>(address);
      if (taken == 0) {
        store<u32>(address, <u32>index + 1);
        break;
      }
      const other = recordAt(pairs, <i32>taken - 1);
      if (
        other.hash == record.hash &&
        other.keyLength == record.keyLength &&
        equal(other.key, record.key, record.keyLength)
      ) {
        other.value = record.value;
        other.valueLength = record.valueLength;
        record.token = 0;
        break;
      }
      slot = (slot + 1) & mask;
    }
  }
}

/** Writes the records to `t`; returns the address after the object. */
function writeObject(pairs: Pairs, count: i32, t: usize): usize {
  const start = t;
  store<u8>(t++, 0x7b);
  for (let index = 0; index < count; index++) {
    const record = recordAt(pairs, index);
    if (record.token == 0) continue;
    if (t != start + 1) store<u8>(t++, 0x2c);
    t = copyLoose(t, record.token, record.tokenLength);
    store<u8>(t++, 0x3a);
    if (record.valueLength != 0) {
      t = copyLoose(t, record.value, record.valueLength);
    } else {
      store<u32>(t, 0x6c6c756e);
      t += 4;
    }
  }
  store<u8>(t++, 0x7d);
  return t;
}

/**
 * Writes for each row an object of the pairs in its list to `output` and points `target` at it;
 * null for a row without a list. Lists of other elements and other values give their row the
 * outcome `code`.
 */
export function buildObjectsOfPairs(
  pairs: Pairs, outcomes: usize, target: Column, lists: Column, rows: i32, code: i32, output: usize,
): void {
  let t = output;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    const count = lists.kind(row) == KIND_NULL ? NO_LIST : collect(pairs, lists, row);
    if (count == NO_LIST || count == NO_PAIRS) {
      target.set(row, KIND_NULL, t, 0);
      if (count == NO_PAIRS) store<u8>(outcomes + row, <u8>code);
      continue;
    }
    if (count > 1) uniteRepeated(pairs, count);
    const start = t;
    t = writeObject(pairs, count, t);
    target.set(row, KIND_OBJECT, start, t - start);
  }
}
