// Takes the counts of ids out of their tables, in the order of their slots, which is nearly that of
// their hashes: src/kernels/profile/folded-ids.ts then goes through its memory in order.
//
//   ids    │ hash: upper 48 bits, rows: 16 bits │ …   u64
//   pairs  │ user: index, device: index │ …           u16 each

import { ID_SLOT_BITS, idEntryAt, IdEntry, IdTable, IdTables, NUMBER_MASK } from "./ids";

/** Rows that fit beside a hash; the same number as in src/profile/hash-counts.ts. */
export const TAKEN_ROWS_MAX: u32 = 0xffff;

/** Ids whose texts are kept: those with the most rows, and those with the most other ids. */
const TEXTS_BY_ROWS: i32 = 1024;
const TEXTS_BY_OTHERS: i32 = 256;
/** Ids with one other id have no text for that. */
const OTHERS_MIN: u32 = 2;

/** Amounts that are distinguished to find the largest ones: larger ones are counted together. */
const AMOUNTS: u32 = 1024;
const amounts: usize = memory.data(4096, 8);

@inline
function indexOf(numbers: usize, number: u32): u32 {
  return load<u16>(numbers + (<usize>number << 1));
}

/**
 * Writes the ids to `target`, and the index of each number (u16) to `numbers`. Returns how many ids have
 * more rows than fit.
 */
export function takeIds(table: IdTable, target: usize, numbers: usize): u32 {
  let index: u32 = 0;
  let larger: u32 = 0;
  const end = <usize>table.slots + (4 << ID_SLOT_BITS);
  for (let slot = <usize>table.slots; slot < end; slot += 4) {
    const number = load<u32>(slot) & NUMBER_MASK;
    if (number == 0) continue;
    const entry = idEntryAt(table, number);
    if (entry.rows > TAKEN_ROWS_MAX) larger++;
    const rows = <u64>min(entry.rows, TAKEN_ROWS_MAX);
    store<u64>(target + (<usize>index << 3), (entry.hash & ~(<u64>TAKEN_ROWS_MAX)) | rows);
    store<u16>(numbers + (<usize>number << 1), <u16>index);
    index++;
  }
  return larger;
}

/** Writes the pairs; `users` and `devices` are the indexes of their numbers. */
export function takePairs(tables: IdTables, target: usize, users: usize, devices: usize): void {
  const end = <usize>tables.pairs + (4 << ID_SLOT_BITS);
  for (let slot = <usize>tables.pairs; slot < end; slot += 4) {
    const pair = load<u32>(slot);
    if (pair == 0) continue;
    store<u32>(target, indexOf(users, pair & 0xffff) | (indexOf(devices, pair >> 16) << 16));
    target += 4;
  }
}

/** Writes the index (u16) of each number whose bit is set, of `count` numbers; returns how many. */
export function takeNumbers(bits: usize, count: u32, numbers: usize, target: usize): u32 {
  let taken: u32 = 0;
  for (let first: u32 = 0; first <= count; first += 64) {
    let rest = load<u64>(bits + <usize>(first >> 3));
    for (; rest != 0; rest &= rest - 1) {
      const index = indexOf(numbers, first + <u32>ctz(rest));
      store<u16>(target + (<usize>taken << 1), <u16>index);
      taken++;
    }
  }
  return taken;
}

@inline
function amountAt(table: IdTable, number: u32, member: usize): u32 {
  return min(load<u32>(changetype<usize>(idEntryAt(table, number)) + member), AMOUNTS - 1);
}

let threshold: u32 = 0;
/** Ids of just the threshold that are still chosen. */
let left: i32 = 0;

/** Finds the smallest amount, at least `least`, of the `most` ids with the largest amounts. */
function findThreshold(table: IdTable, member: usize, most: i32, least: u32): void {
  memory.fill(amounts, 0, 4 * AMOUNTS);
  for (let number: u32 = 1; number <= table.count; number++) {
    const at = amounts + (<usize>amountAt(table, number, member) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  threshold = AMOUNTS;
  left = most;
  while (threshold > least && left > 0) {
    left -= load<i32>(amounts + (<usize>(--threshold) << 2));
  }
  left += load<i32>(amounts + (<usize>threshold << 2));
}

/** Marks the chosen ids: of those of just the threshold, the ones that came first. */
function markChosen(table: IdTable, member: usize, marks: usize): void {
  for (let number: u32 = 1; number <= table.count; number++) {
    const amount = amountAt(table, number, member);
    if (amount > threshold || (amount == threshold && left-- > 0)) {
      store<u8>(marks + <usize>number, 1);
    }
  }
}

/** Marks (one byte for each number, from 0) the ids whose texts are kept. */
export function markTexts(table: IdTable, marks: usize): void {
  memory.fill(marks, 0, <usize>table.count + 1);
  findThreshold(table, offsetof<IdEntry>("rows"), TEXTS_BY_ROWS, 1);
  markChosen(table, offsetof<IdEntry>("rows"), marks);
  findThreshold(table, offsetof<IdEntry>("others"), TEXTS_BY_OTHERS, OTHERS_MIN);
  markChosen(table, offsetof<IdEntry>("others"), marks);
}
