// Adds up the ids and pairs that src/kernels/profile/taken-ids.ts takes out of the tables of splits.
//
//   ids    │ hash: upper 48 bits, 1 │ rows: 40 bits, number: 24 bits │ …   slots of two u64
//   pairs  │ user: the same │ device: the same │ …                        slots of two u64
//
// Slots are found by linear probing from the upper bits of a hash; 0 is a free one. So the ids of a split,
// which come in the order of their hashes, go through the memory in order.

import { spread } from "../byte-hash";

const HASH_MASK: u64 = ~(<u64>0xffff);
const NUMBER_BITS: u64 = 24;

/**
 * The number of an id that came after others were dropped, so that it may have come before; the same number as
 * in src/profile/hash-counts.ts.
 */
const LATE: u64 = 0xffffff;

/** Rows by the hash of an id. Made in src/profile/hash-counts.ts. */
@unmanaged
export class FoldedIds {
  slots: u32;
  /** The number of slots is two to the power of `bits`. */
  bits: u32;
  count: u32;
  /** 1 after hashes were dropped. */
  isCut: u32;
}

/** Distinct pairs: those whose hash begins with `level` zeros. Made in src/profile/id-pairs.ts. */
@unmanaged
export class FoldedPairs {
  slots: u32;
  bits: u32;
  count: u32;
  level: u32;
}

/** Returns the hash by which an id that was taken out is known. */
@inline
function keyOf(taken: u64): u64 {
  return (taken & HASH_MASK) | 1;
}

/** Returns the slot of a key: its own, or the free one where it belongs. */
@inline
function slotOf(slots: usize, bits: u32, key: u64): usize {
  const mask = (<u32>1 << bits) - 1;
  let probe = <u32>(key >> <u64>(64 - bits));
  let known = load<u64>(slots + (<usize>probe << 4));
  while (known != key && known != 0) {
    probe = (probe + 1) & mask;
    known = load<u64>(slots + (<usize>probe << 4));
  }
  return slots + (<usize>probe << 4);
}

/**
 * Adds the rows of ids that were taken out, and writes the number of each id (u32), from 0 in the order in
 * which they came first, to `numbers`. There must be free slots for all.
 */
export function addFoldedIds(table: FoldedIds, taken: usize, count: u32, numbers: usize): void {
  for (let index: u32 = 0; index < count; index++) {
    const word = load<u64>(taken + (<usize>index << 3));
    const key = keyOf(word);
    const slot = slotOf(table.slots, table.bits, key);
    if (load<u64>(slot) == 0) {
      store<u64>(slot, key);
      store<u64>(slot, table.isCut ? LATE : table.count, 8);
      table.count++;
    }
    const value = load<u64>(slot, 8) + ((word & ~HASH_MASK) << NUMBER_BITS);
    store<u64>(slot, value, 8);
    store<u32>(numbers + (<usize>index << 2), <u32>(value & LATE));
  }
}

/** Moves the ids of at least `rowsMin` rows to `1 << bits` slots. */
export function moveFoldedIds(table: FoldedIds, slots: usize, bits: u32, rowsMin: f64): void {
  memory.fill(slots, 0, <usize>16 << bits);
  const end = <usize>table.slots + (<usize>16 << table.bits);
  let count: u32 = 0;
  for (let from = <usize>table.slots; from < end; from += 16) {
    const key = load<u64>(from);
    const value = load<u64>(from, 8);
    if (key == 0 || <f64>(value >> NUMBER_BITS) < rowsMin) continue;
    const slot = slotOf(slots, bits, key);
    store<u64>(slot, key);
    store<u64>(slot, value, 8);
    count++;
  }
  table.slots = <u32>slots;
  table.bits = bits;
  table.count = count;
}

/** The hash of a pair: its first bits decide whether it is kept, those after the level choose its slot. */
@inline
function hashOfPair(user: u64, device: u64): u64 {
  return spread(user ^ rotl(device, 29));
}

@inline
function firstSlot(pairs: FoldedPairs, hash: u64): usize {
  return <usize>pairs.slots + (<usize>((hash << <u64>pairs.level) >> <u64>(64 - pairs.bits)) << 4);
}

/** Adds a pair that is not yet there, if its level is kept. */
function addPair(pairs: FoldedPairs, user: u64, device: u64, hash: u64): void {
  const level = <u64>pairs.level;
  if (level > 0 && hash >> (64 - level) != 0) return;
  const slots = <usize>pairs.slots;
  let slot = firstSlot(pairs, hash);
  for (let known = load<u64>(slot); known != 0; known = load<u64>(slot)) {
    if (known == user && load<u64>(slot, 8) == device) return;
    slot = slots + ((slot - slots + 16) & ((<usize>16 << pairs.bits) - 1));
  }
  store<u64>(slot, user);
  store<u64>(slot, device, 8);
  pairs.count++;
}

/** A pair whose slot is loaded before it is added, so that several pairs wait for memory at once. */
@unmanaged
class AwaitedPair {
  user: u64;
  device: u64;
  hash: u64;
}

const AWAITED: u32 = 32;
const awaited: usize = memory.data(768, 8);

/**
 * Adds pairs of indexes that were taken out, of `users` and `devices` that were. Returns some of what the
 * slots held, so that loading them is not left out.
 */
export function addFoldedPairs(
  pairs: FoldedPairs, taken: usize, count: u32, users: usize, devices: usize,
): u32 {
  let loaded: u32 = 0;
  for (let first: u32 = 0; first < count; first += AWAITED) {
    const end = awaited + <usize>min(AWAITED, count - first) * offsetof<AwaitedPair>();
    for (let at = awaited; at < end; at += offsetof<AwaitedPair>()) {
      const pair = load<u32>(taken);
      const one = changetype<AwaitedPair>(at);
      one.user = keyOf(load<u64>(users + (<usize>(pair & 0xffff) << 3)));
      one.device = keyOf(load<u64>(devices + (<usize>(pair >> 16) << 3)));
      one.hash = hashOfPair(one.user, one.device);
      loaded |= load<u32>(firstSlot(pairs, one.hash));
      taken += 4;
    }
    for (let at = awaited; at < end; at += offsetof<AwaitedPair>()) {
      const one = changetype<AwaitedPair>(at);
      addPair(pairs, one.user, one.device, one.hash);
    }
  }
  return loaded;
}

/** Moves the pairs of a level to `1 << bits` slots. */
export function moveFoldedPairs(pairs: FoldedPairs, slots: usize, bits: u32, level: u32): void {
  const end = <usize>pairs.slots + (<usize>16 << pairs.bits);
  let from = <usize>pairs.slots;
  memory.fill(slots, 0, <usize>16 << bits);
  pairs.slots = <u32>slots;
  pairs.bits = bits;
  pairs.count = 0;
  pairs.level = level;
  for (; from < end; from += 16) {
    const user = load<u64>(from);
    const device = load<u64>(from, 8);
    if (user != 0) addPair(pairs, user, device, hashOfPair(user, device));
  }
}

/** Adds a row to the users, and to the devices, of all pairs; ids that are not in a table are left out. */
export function countFoldedPairs(pairs: FoldedPairs, users: FoldedIds, devices: FoldedIds): void {
  const end = <usize>pairs.slots + (<usize>16 << pairs.bits);
  for (let from = <usize>pairs.slots; from < end; from += 16) {
    const user = load<u64>(from);
    if (user == 0) continue;
    addRow(users, user);
    addRow(devices, load<u64>(from, 8));
  }
}

@inline
function addRow(table: FoldedIds, key: u64): void {
  const slot = slotOf(table.slots, table.bits, key);
  if (load<u64>(slot) != 0) store<u64>(slot, load<u64>(slot, 8) + (1 << NUMBER_BITS), 8);
}
