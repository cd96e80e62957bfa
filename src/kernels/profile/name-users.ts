// Counts the users of one event name over all splits: exactly, by a bit for the number of each user
// (src/kernels/profile/folded-ids.ts), and in registers, for when some numbers are unknown.

import { spread } from "../byte-hash";
import { addToRegisters } from "./distinct";
import { ID_BITS } from "./row-ids";
import { TAKEN_ROWS_MAX } from "./taken-ids";

/** Made in src/profile/name-users.ts. */
@unmanaged
export class NameUsers {
  /** A bit for the number of each user; 0 once users are estimated. */
  bits: u32;
  /** The number of set bits. */
  count: u32;
  registers: u32;
  /** Differs by name: otherwise names that have the same users would have the same error. */
  salt: u32;
}

/** Returns the largest number (u32) of the users at `count` indexes (u16). */
export function largestNumber(indexes: usize, count: u32, numbers: usize): u32 {
  let largest: u32 = 0;
  for (const end = indexes + (<usize>count << 1); indexes < end; indexes += 2) {
    largest = max(largest, load<u32>(numbers + (<usize>load<u16>(indexes) << 2)));
  }
  return largest;
}

/** Adds the users at `count` indexes (u16) of ids that were `taken` out. There must be bits for their numbers. */
export function addNameUsers(
  users: NameUsers, indexes: usize, count: u32, numbers: usize, taken: usize,
): void {
  const bits = <usize>users.bits;
  for (const end = indexes + (<usize>count << 1); indexes < end; indexes += 2) {
    const index = <usize>load<u16>(indexes);
    if (bits != 0) {
      const number = load<u32>(numbers + (index << 2));
      const byte = bits + <usize>(number >> 3);
      const bit = <u8>1 << <u8>(number & 7);
      if ((load<u8>(byte) & bit) != 0) continue;
      store<u8>(byte, load<u8>(byte) | bit);
      users.count++;
    }
    const hash = load<u64>(taken + (index << 3)) & ~(<u64>TAKEN_ROWS_MAX);
    addToRegisters(users.registers, ID_BITS, spread(hash | users.salt));
  }
}
