// Counts the events of each name, in total and by day. There are two hash tables: from name to its
// number, and from day and number to a count. In both, entries are in a list in order of arrival. A
// slot, found by the hash with linear probing, holds the index of its entry.
//
//   nameSlots  │ 0 │ 3 │ 0 │ 0 │ 2 │ …   u32: the entry's index plus one, 0 for a free slot
//   names      │ all others │ sign_up │ page_view │ …   `Name`; its index is the number of the name
//   text       sign_uppage_view…
//   pending    │ day, name │ day, name │ …   `PendingRow`: rows whose pairs are not counted yet
//
// No table is ever more than half full, so that each search soon meets a free slot.

import { equal, hashOf, mix } from "../byte-hash";
import { Column } from "../column";
import { copyLoose } from "../utf8";

// The same number as `outcomes.deliver` in src/batch/event-batch.ts.
const DELIVER: u32 = 0;

/**
 * Initial slots for pairs. They grow with the pairs, so that those of a thousand days fit into the
 * processor's cache: all possible slots take 2 MiB.
 */
const PAIR_SLOTS_MIN: u32 = 1_024;

/** The number of all names that did not fit. */
const OTHERS: u32 = 0;

/** One name. The entry of all others has no bytes. */
@unmanaged
class Name {
  rows: f64;
  /** Timestamps of its first and last event, in milliseconds since 1970 UTC. */
  first: f64;
  last: f64;
  hash: u64;
  start: u32;
  length: u32;
}

/** Rows of one name on one day. */
@unmanaged
class Pair {
  /** Days since 1970 in the zone of days. */
  day: i32;
  name: u32;
  rows: u32;
}

/** A row whose name is counted, and its pair not yet. */
@unmanaged
class PendingRow {
  day: i32;
  name: u32;
}

/** Made in src/profile/event-counts.ts. A mask is the number of slots minus one. */
@unmanaged
class EventCounts {
  nameSlots: u32;
  nameMask: u32;
  names: u32;
  nameCount: u32;
  namesMax: u32;
  text: u32;
  textBytes: u32;
  textBytesMax: u32;
  pairSlots: u32;
  pairMask: u32;
  pairs: u32;
  pairCount: u32;
  pairsMax: u32;
  pairMaskMax: u32;
  pending: u32;
  pendingCount: u32;
  pendingMax: u32;
}

@inline
function nameAt(counts: EventCounts, index: u32): Name {
  return changetype<Name>(<usize>counts.names + <usize>index * offsetof<Name>());
}

@inline
function pairAt(counts: EventCounts, index: u32): Pair {
  return changetype<Pair>(<usize>counts.pairs + <usize>index * offsetof<Pair>());
}

/** Discards names and days. */
export function clearEventCounts(address: usize): void {
  const counts = changetype<EventCounts>(address);
  memory.fill(counts.nameSlots, 0, ((<usize>counts.nameMask) + 1) << 2);
  counts.textBytes = 0;
  counts.nameCount = 1;
  resetName(nameAt(counts, OTHERS), 0, 0, 0);
  clearPairs(address);
}

/** Discards only the days: names keep their numbers and counts. */
export function clearPairs(address: usize): void {
  const counts = changetype<EventCounts>(address);
  counts.pairMask = min(PAIR_SLOTS_MIN - 1, counts.pairMaskMax);
  memory.fill(counts.pairSlots, 0, ((<usize>counts.pairMask) + 1) << 2);
  counts.pairCount = 0;
  counts.pendingCount = 0;
}

@inline
function pairSlot(counts: EventCounts, day: i32, name: u32): u32 {
  return <u32>(mix(<u64>name, <u64>(<u32>day)) >> 20) & counts.pairMask;
}

/** Doubles the slots and inserts all pairs again. */
function growPairSlots(counts: EventCounts): void {
  counts.pairMask = (counts.pairMask << 1) | 1;
  memory.fill(counts.pairSlots, 0, ((<usize>counts.pairMask) + 1) << 2);
  for (let index: u32 = 0; index < counts.pairCount; index++) {
    const pair = pairAt(counts, index);
    let probe = pairSlot(counts, pair.day, pair.name);
    while (load<u32>(<usize>counts.pairSlots + ((<usize>probe) << 2)) != 0) {
      probe = (probe + 1) & counts.pairMask;
    }
    store<u32>(<usize>counts.pairSlots + ((<usize>probe) << 2), index + 1);
  }
}

function resetName(name: Name, hash: u64, start: u32, length: u32): void {
  name.rows = 0;
  name.first = Infinity;
  name.last = -Infinity;
  name.hash = hash;
  name.start = start;
  name.length = length;
}

/** Returns the number of the name of `length` bytes at `start`; adds it if it fits. */
export function addName(address: usize, start: usize, length: usize): u32 {
  const counts = changetype<EventCounts>(address);
  const hash = hashOf(start, length);
  let probe = <u32>(hash >> 20) & counts.nameMask;
  let entry = load<u32>(<usize>counts.nameSlots + ((<usize>probe) << 2));
  while (entry != 0) {
    const name = nameAt(counts, entry - 1);
    if (name.hash == hash && <usize>name.length == length && equal(name.start, start, length)) {
      return entry - 1;
    }
    probe = (probe + 1) & counts.nameMask;
    entry = load<u32>(<usize>counts.nameSlots + ((<usize>probe) << 2));
  }
  const index = counts.nameCount;
  if (index == counts.namesMax || <u32>length > counts.textBytesMax - counts.textBytes) return OTHERS;
  const text = <usize>counts.text + counts.textBytes;
  copyLoose(text, start, length);
  counts.textBytes += <u32>length;
  counts.nameCount = index + 1;
  resetName(nameAt(counts, index), hash, <u32>text, <u32>length);
  store<u32>(<usize>counts.nameSlots + ((<usize>probe) << 2), index + 1);
  return index;
}

@inline
function countPair(counts: EventCounts, day: i32, name: u32): void {
  let probe = pairSlot(counts, day, name);
  let entry = load<u32>(<usize>counts.pairSlots + ((<usize>probe) << 2));
  while (entry != 0) {
    const pair = pairAt(counts, entry - 1);
    if (pair.day == day && pair.name == name) {
      pair.rows++;
      return;
    }
    probe = (probe + 1) & counts.pairMask;
    entry = load<u32>(<usize>counts.pairSlots + ((<usize>probe) << 2));
  }
  const index = counts.pairCount;
  if (index == counts.pairsMax) return;
  counts.pairCount = index + 1;
  const pair = pairAt(counts, index);
  pair.day = day;
  pair.name = name;
  pair.rows = 1;
  store<u32>(<usize>counts.pairSlots + ((<usize>probe) << 2), index + 1);
  // At their maximum the slots are still twice as many as the pairs.
  if ((index + 1) * 2 > counts.pairMask && counts.pairMask < counts.pairMaskMax) growPairSlots(counts);
}

/**
 * Counts the pairs of the pending rows. Many at once: batch by batch, the pairs of a thousand days
 * had left the processor's cache each time.
 */
export function countPending(address: usize): void {
  const counts = changetype<EventCounts>(address);
  const end = <usize>counts.pending + <usize>counts.pendingCount * offsetof<PendingRow>();
  for (let at = <usize>counts.pending; at < end; at += offsetof<PendingRow>()) {
    const row = changetype<PendingRow>(at);
    countPair(counts, row.day, row.name);
  }
  counts.pendingCount = 0;
}

@inline
function addPending(address: usize, counts: EventCounts, day: i32, name: u32): void {
  if (counts.pendingCount == counts.pendingMax) countPending(address);
  const at = <usize>counts.pending + <usize>counts.pendingCount * offsetof<PendingRow>();
  const row = changetype<PendingRow>(at);
  row.day = day;
  row.name = name;
  counts.pendingCount++;
}

/** Writes the number (u32) of the name of each row to `numbers`. */
export function numberNames(address: usize, event: usize, rows: i32, numbers: usize): void {
  const cells = changetype<Column>(event);
  for (let row = 0; row < rows; row++) {
    const number = addName(address, cells.start(row), cells.length(row));
    store<u32>(numbers + ((<usize>row) << 2), number);
  }
}

/**
 * Counts the delivered rows; their pairs are counted by `countPending`. `days` has an i32 and
 * `timestamps` a double for each row. Rows of names that did not fit are in no pair.
 */
export function countEvents(
  address: usize, outcomes: usize, event: usize, days: usize, timestamps: usize, rows: i32,
): void {
  const counts = changetype<EventCounts>(address);
  const cells = changetype<Column>(event);
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + <usize>row) != DELIVER) continue;
    const index = addName(address, cells.start(row), cells.length(row));
    const name = nameAt(counts, index);
    const timestamp = load<f64>(timestamps + ((<usize>row) << 3));
    name.rows += 1;
    if (timestamp < name.first) name.first = timestamp;
    if (timestamp > name.last) name.last = timestamp;
    if (index == OTHERS) continue;
    addPending(address, counts, load<i32>(days + ((<usize>row) << 2)), index);
  }
}
