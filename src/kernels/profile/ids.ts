// Counts the rows of every user and device, and which of them occur together, until a table is full:
// then the host takes the counts out and the tables start empty. So all counts are exact, and the
// host adds them up over all splits (src/profile/id-fold.ts), with 48 bits of each hash: of a million
// ids, two have the same in less than two of a thousand runs.
//
//   slots    │ 0 │ 2 │ 0 │ 1 │ …          u32 numbers of entries, in about the order of the hashes
//   entries  │ - │ IdEntry │ IdEntry │ …  by number, from 1
//   texts    │ first 64 bytes │ …         of each entry, one after the other
//   pairs    │ 0 │ user, device │ …       two u16 numbers, found by their hash

import { spread } from "../byte-hash";
import { copyLoose } from "../utf8";

/** Slots of each table as an exponent of two; at most half of them are used. */
export const ID_SLOT_BITS: u32 = 17;
/** Entries of a table, so that numbers from 1 fit into 16 bits. */
const TABLE_IDS_MAX: u32 = 65535;
/** Bits of a slot that are the number of its entry; the others are a part of its hash. */
export const NUMBER_MASK: u32 = 0xffff;
/** Bytes that are kept of an id. */
export const ID_TEXT_BYTES: u32 = 64;

/** One id. */
@unmanaged
export class IdEntry {
  hash: u64;
  rows: u32;
  /** Distinct ids of the other kind in the same rows. */
  others: u32;
  /** Number of the device of a user's last row that has one. */
  last: u32;
  /** Bytes of the whole id. */
  length: u32;
  /** Address of its first bytes. */
  text: u32;
  /** Traits of the id (src/kernels/profile/row-ids.ts). */
  traits: u32;
}

/** Users, or devices. Made in src/profile/id-counts.ts. */
@unmanaged
export class IdTable {
  slots: u32;
  entries: u32;
  texts: u32;
  /** The end of the texts so far. */
  textEnd: u32;
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
export function idEntryAt(table: IdTable, number: u32): IdEntry {
  return changetype<IdEntry>(<usize>table.entries + <usize>number * offsetof<IdEntry>());
}

/** Returns the address of the first `ID_TEXT_BYTES` bytes of an id. */
@inline
export function idTextAt(table: IdTable, number: u32): usize {
  return <usize>idEntryAt(table, number).text;
}

/** Returns the bytes of the whole id. */
@inline
export function idLengthAt(table: IdTable, number: u32): u32 {
  return idEntryAt(table, number).length;
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

function clearTable(table: IdTable): void {
  table.count = 0;
  table.textEnd = table.texts;
  memory.fill(table.slots, 0, 4 << ID_SLOT_BITS);
}

/** Discards all counts. */
export function clearIds(tables: IdTables): void {
  clearTable(changetype<IdTable>(<usize>tables.users));
  clearTable(changetype<IdTable>(<usize>tables.devices));
  tables.pairCount = 0;
  memory.fill(tables.pairs, 0, 4 << ID_SLOT_BITS);
}

/** Returns some bits of a hash that do not choose its slot, above the number of an entry. */
@inline
function tagOf(hash: u64): u32 {
  return <u32>(hash >> 16) & ~NUMBER_MASK;
}

@inline
function slotAt(table: IdTable, probe: u32): usize {
  return <usize>table.slots + ((<usize>probe) << 2);
}

/** Loads the first slot of a hash and returns what it holds. */
@inline
export function touchSlot(table: IdTable, hash: u64): u32 {
  return load<u32>(slotAt(table, <u32>(hash >> (64 - ID_SLOT_BITS))));
}

/** Loads the entry in the first slot of a hash, and returns some of it. */
@inline
export function touchEntry(table: IdTable, hash: u64): u32 {
  return idEntryAt(table, touchSlot(table, hash) & NUMBER_MASK).rows;
}

/** Counts a row of an id and returns its number. `hash` is its `spreadHash`. */
export function countId(table: IdTable, start: usize, length: u32, hash: u64): u32 {
  const tag = tagOf(hash);
  let probe = <u32>(hash >> (64 - ID_SLOT_BITS));
  for (;;) {
    const slot = load<u32>(slotAt(table, probe));
    if (slot == 0) {
      store<u32>(slotAt(table, probe), tag | ++table.count);
      break;
    }
    if ((slot & ~NUMBER_MASK) == tag) {
      const known = idEntryAt(table, slot & NUMBER_MASK);
      if (known.hash == hash) {
        known.rows++;
        return slot & NUMBER_MASK;
      }
    }
    probe = (probe + 1) & ((1 << ID_SLOT_BITS) - 1);
  }
  const number = table.count;
  const entry = idEntryAt(table, number);
  entry.hash = hash;
  entry.rows = 1;
  entry.others = 0;
  entry.last = 0;
  entry.length = length;
  entry.text = table.textEnd;
  table.textEnd = <u32>copyLoose(table.textEnd, start, min(length, ID_TEXT_BYTES));
  return number;
}

/** Counts that a user and a device have a row in common. */
export function countPairOfIds(tables: IdTables, userNumber: u32, deviceNumber: u32): void {
  const user = idEntryAt(changetype<IdTable>(<usize>tables.users), userNumber);
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
  idEntryAt(changetype<IdTable>(<usize>tables.devices), deviceNumber).others++;
}
