// Counts distinct things. Approximately, in memory of fixed size, by HyperLogLog (Flajolet et al.
// 2007): the first bits of a hash select a register, which keeps the largest number of leading
// zeros of the other bits, plus one. More distinct things give larger numbers, and repeated things
// change nothing. src/profile/sketches.ts computes the estimate. Exactly, as long as there is
// room, by a set of the hashes themselves.

import { KEPT_BITS } from "../byte-hash";

/** Adds a hash of `spreadHash` to `2 ** bits` registers of one byte. */
@inline
export function addToRegisters(registers: usize, bits: u64, hash: u64): void {
  const register = registers + <usize>(hash >> (64 - bits));
  // The bit after the kept ones ends the count of zeros.
  const rest = (hash << bits) | ((<u64>1) << (63 - KEPT_BITS + bits));
  const rank = <u8>(clz(rest) + 1);
  if (rank > load<u8>(register)) store<u8>(register, rank);
}

/** Open addressing, never more than half full; 0 is a free slot. Made in src/profile/kernel-tables.ts. */
@unmanaged
export class IdSet {
  slots: u32;
  mask: u32;
  count: u32;
  max: u32;
  /** Hashes that the set already had. */
  repeated: u32;
  /** Hashes that did not fit, so that it is unknown if they came before. */
  unknown: u32;
}

/** Counts a hash of `spreadHash` as new, repeated or unknown. */
export function addId(set: IdSet, hash: u64): void {
  if (hash == 0) hash = 1 << 11;
  let probe = <usize>(hash >> 20) & set.mask;
  let known = load<u64>(<usize>set.slots + (probe << 3));
  while (known != 0) {
    if (known == hash) {
      set.repeated++;
      return;
    }
    probe = (probe + 1) & set.mask;
    known = load<u64>(<usize>set.slots + (probe << 3));
  }
  if (set.count == set.max) {
    set.unknown++;
    return;
  }
  set.count++;
  store<u64>(<usize>set.slots + (probe << 3), hash);
}

/** Loads the first slot of a hash, and returns some of it. */
@inline
export function touchId(set: IdSet, hash: u64): u32 {
  return load<u32>(<usize>set.slots + ((<usize>(hash >> 20) & set.mask) << 3));
}

/** Moves the set to `mask + 1` slots at `slots`, which must be more than it has. */
export function moveIds(set: IdSet, slots: u32, mask: u32): void {
  memory.fill(slots, 0, ((<usize>mask) + 1) << 3);
  const end = <usize>set.slots + (((<usize>set.mask) + 1) << 3);
  for (let from = <usize>set.slots; from < end; from += 8) {
    const hash = load<u64>(from);
    if (hash == 0) continue;
    let probe = <usize>(hash >> 20) & mask;
    while (load<u64>(<usize>slots + (probe << 3)) != 0) probe = (probe + 1) & mask;
    store<u64>(<usize>slots + (probe << 3), hash);
  }
  set.slots = slots;
  set.mask = mask;
}
