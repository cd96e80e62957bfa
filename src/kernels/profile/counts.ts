// Counts rows by a whole number that has many possible values, but few at a time: events by hour,
// rejected rows by day. A list of the numbers, and a hash table over it as in event-counts.ts.

import { spread } from "../byte-hash";

/** Made in src/profile/kernel-tables.ts. Slots (u32) hold the index of an entry plus one. */
@unmanaged
export class Counts {
  slots: u32;
  mask: u32;
  entries: u32;
  count: u32;
  max: u32;
  /** Rows of numbers that did not fit. */
  others: u32;
  /** Index of the entry that was counted last: times mostly come in order. */
  last: u32;
}

@unmanaged
class CountEntry {
  number: i32;
  rows: u32;
  /** Address of its slot. */
  slot: u32;
}

@inline
function entryAt(counts: Counts, index: u32): CountEntry {
  return changetype<CountEntry>(<usize>counts.entries + <usize>index * offsetof<CountEntry>());
}

/** Counts a row of this number. */
@inline
export function countAt(counts: Counts, number: i32): void {
  const last = entryAt(counts, counts.last);
  if (counts.count != 0 && last.number == number) last.rows++;
  else findAndCount(counts, number);
}

/** Returns the rows of the number that was counted last. */
@inline
export function lastRows(counts: Counts): u32 {
  return entryAt(counts, counts.last).rows;
}

function findAndCount(counts: Counts, number: i32): void {
  let probe = <u32>(spread(<u64>(<u32>number) + 1) >> 24) & counts.mask;
  let slot = <usize>counts.slots + ((<usize>probe) << 2);
  for (let index = load<u32>(slot); index != 0; index = load<u32>(slot)) {
    const entry = entryAt(counts, index - 1);
    if (entry.number == number) {
      entry.rows++;
      counts.last = index - 1;
      return;
    }
    probe = (probe + 1) & counts.mask;
    slot = <usize>counts.slots + ((<usize>probe) << 2);
  }
  if (counts.count == counts.max) {
    counts.others++;
    return;
  }
  const index = counts.count++;
  const entry = entryAt(counts, index);
  entry.number = number;
  entry.rows = 1;
  entry.slot = <u32>slot;
  counts.last = index;
  store<u32>(slot, index + 1);
}

/** Discards everything; takes time only for the present entries. */
export function clearCounts(counts: Counts): void {
  for (let index: u32 = 0; index < counts.count; index++) {
    store<u32>(entryAt(counts, index).slot, 0);
  }
  counts.count = 0;
  counts.others = 0;
  counts.last = 0;
}
