// Counts the rows of every user and device, and which of them occur together, until a table is full:
// then the host takes the counts out and the tables start empty. So all counts are exact, and the
// host adds them up over all splits (src/profile/id-fold.ts), with 48 bits of each hash: of a million
// ids, two have the same in less than two of a thousand runs.
//
//   slots    │ 0 │ 2 │ 0 │ 1 │ …          u32 numbers of entries, in about the order of the hashes
//   entries  │ - │ IdEntry │ IdEntry │ …  by number, from 1
//   texts    │ - │ first 64 bytes │ …     by number
//   pairs    │ 0 │ user, device │ …       two u16 numbers, found by their hash

import { spread } from "../byte-hash";
import { copyLoose } from "../utf8";

/** Slots of each table as an exponent of two; at most half of them are used. */
const ID_SLOT_BITS: u32 = 17;
/** Entries of a table, so that numbers from 1 fit into 16 bits. */
const TABLE_IDS_MAX: u32 = 65535;
/** Bytes that are kept of an id. */
export const ID_TEXT_BYTES: u32 = 64;

/** One id. */
@unmanaged
class IdEntry {
  hash: u64;
  rows: u32;
  /** Distinct ids of the other kind in the same rows. */
  others: u32;
  /** Number of the device of a user's last row that has one. */
  last: u32;
  /** Bytes of the whole id. */
  length: u32;
}

/** Users, or devices. Made in src/profile/id-counts.ts. */
@unmanaged
export class IdTable {
  slots: u32;
  entries: u32;
  texts: u32;
  count: u32;
}

/** The tables of a profile. Made in src/profile/id-counts.ts. */
@unmanaged
export class IdTables {
  users: u32;
  devices: u32;
  pairs: u32;
  pairCount: u32;
}

@inline
function entryAt(table: IdTable, number: u32): IdEntry {
  return changetype<IdEntry>(<usize>table.entries + <usize>number * offsetof<IdEntry>());
}

/** Returns the address of the first `ID_TEXT_BYTES` bytes of an id. */
@inline
export function idTextAt(table: IdTable, number: u32): usize {
  return <usize>table.texts + <usize>number * ID_TEXT_BYTES;
}

/** Returns the bytes of the whole id. */
@inline
export function idLengthAt(table: IdTable, number: u32): u32 {
  return entryAt(table, number).length;
}

/** Returns true if the ids of another row may not fit. */
@inline
export function areIdsFull(tables: IdTables): bool {
  return (
    changetype<IdTable>(<usize>tables.users).count == TABLE_IDS_MAX ||
    changetype<IdTable>(<usize>tables.devices).count == TABLE_IDS_MAX ||
    tables.pairCount == TABLE_IDS_MAX
  );
}

/** Discards all counts. */
export function clearIds(tables: IdTables): void {
  changetype<IdTable>(<usize>tables.users).count = 0;
  changetype<IdTable>(<usize>tables.devices).count = 0;
  tables.pairCount = 0;
  memory.fill(changetype<IdTable>(<usize>tables.users).slots, 0, 4 << ID_SLOT_BITS);
  memory.fill(changetype<IdTable>(<usize>tables.devices).slots, 0, 4 << ID_SLOT_BITS);
  memory.fill(tables.pairs, 0, 4 << ID_SLOT_BITS);
}

/** Counts a row of an id and returns its number. `hash` is its `spreadHash`. */
function countId(table: IdTable, start: usize, length: u32, hash: u64): u32 {
  let probe = <u32>(hash >> (64 - ID_SLOT_BITS));
  for (;;) {
    const slot = <usize>table.slots + ((<usize>probe) << 2);
    const number = load<u32>(slot);
    if (number == 0) {
      store<u32>(slot, ++table.count);
      break;
    }
    const known = entryAt(table, number);
    if (known.hash == hash) {
      known.rows++;
      return number;
    }
    probe = (probe + 1) & ((1 << ID_SLOT_BITS) - 1);
  }
  const number = table.count;
  const entry = entryAt(table, number);
  entry.hash = hash;
  entry.rows = 1;
  entry.others = 0;
  entry.last = 0;
  entry.length = length;
  // In steps of 16; a text has room for four.
  copyLoose(idTextAt(table, number), start, min(length, ID_TEXT_BYTES));
  return number;
}

@inline
export function countUser(tables: IdTables, start: usize, length: usize, hash: u64): u32 {
  return countId(changetype<IdTable>(<usize>tables.users), start, <u32>length, hash);
}

@inline
export function countDevice(tables: IdTables, start: usize, length: usize, hash: u64): u32 {
  return countId(changetype<IdTable>(<usize>tables.devices), start, <u32>length, hash);
}

/** Counts that a user and a device have a row in common. */
export function countPairOfIds(tables: IdTables, userNumber: u32, deviceNumber: u32): void {
  const user = entryAt(changetype<IdTable>(<usize>tables.users), userNumber);
  // Most users have one device.
  if (user.last == deviceNumber) return;
  user.last = deviceNumber;
  const pair = userNumber | (deviceNumber << 16);
  let probe = <u32>(spread(<u64>pair) >> (64 - ID_SLOT_BITS));
  let slot = <usize>tables.pairs + ((<usize>probe) << 2);
  for (let known = load<u32>(slot); known != 0; known = load<u32>(slot)) {
    if (known == pair) return;
    probe = (probe + 1) & ((1 << ID_SLOT_BITS) - 1);
    slot = <usize>tables.pairs + ((<usize>probe) << 2);
  }
  store<u32>(slot, pair);
  tables.pairCount++;
  user.others++;
  entryAt(changetype<IdTable>(<usize>tables.devices), deviceNumber).others++;
}
