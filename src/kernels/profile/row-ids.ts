// Profiles the ids of rows: users, devices and insert ids.
//
// Each id is looked up in a table that does not fit into the processor's cache. So the ids of a few rows
// are hashed first, and their slots and entries are loaded: these loads wait for memory all at once, while
// the look-ups of one row after the other would wait for each.

import { spreadHash } from "../byte-hash";
import { Column, KIND_NULL } from "../column";
import { addId, addToRegisters, IdSet, touchId } from "./distinct";
import {
  addFigure, BOTH, DEVICE_ONLY, DEVICE_PREFIXES, EMAIL_DEVICES, EMAIL_USERS, GENERATED_ALONE,
  GENERATED_BESIDE, NONE, SAME, USER_ONLY, WITH_INSERT_ID,
} from "./figures";
import { hasDevicePrefix, isGenerated } from "./id-shapes";
import {
  countId, countPairOfIds, idEntryAt, IdTable, IdTables, touchEntry, touchSlot,
} from "./ids";
import { hasEmail, SecretNames } from "./personal-values";
import { Group, Profile, Rows } from "./profile";

/** Register counts as exponents of two: for distinct users or devices, and for insert ids. */
export const ID_BITS: u64 = 14;
const INSERT_ID_BITS: u64 = 16;

/** Traits of an id. */
const IS_PLACEHOLDER: u32 = 1;
const HAS_EMAIL: u32 = 2;
const HAS_DEVICE_PREFIX: u32 = 4;
const IS_GENERATED: u32 = 8;

/** Rows whose ids are hashed at once. */
export const ROWS_AT_ONCE: i32 = 32;

/** The hashes of ids in one row; 0 for those that it lacks. */
@unmanaged
class RowHashes {
  user: u64;
  device: u64;
  insertID: u64;
}

/** Room for `ROWS_AT_ONCE` of them. */
const hashes: usize = memory.data(768, 8);

@inline
function hashesOf(row: i32, from: i32): RowHashes {
  return changetype<RowHashes>(hashes + <usize>(row - from) * offsetof<RowHashes>());
}

/** A placeholder id. Made in src/profile/placeholder-ids.ts. */
@unmanaged
class Junk {
  hash: u64;
  userRows: u32;
  deviceRows: u32;
}

/** All placeholder ids. Bit n of `lengths`: some of them has n bytes. */
@unmanaged
class JunkIds {
  lengths: u64;
  first: u32;
  end: u32;
}

/** Returns the hash that identifies a placeholder id, as a number that a double holds exactly. */
export function junkHash(start: usize, length: usize): f64 {
  return <f64>(spreadHash(start, length) >> 11);
}

/** Returns the address of a placeholder id; 0 if the id of this hash is none. */
function findJunk(junk: JunkIds, hash: u64): usize {
  for (let at = <usize>junk.first; at < <usize>junk.end; at += offsetof<Junk>()) {
    if (changetype<Junk>(at).hash == hash) return at;
  }
  return 0;
}

/** Returns the hash of a cell; 0 for null. */
@inline
function hashOfCell(column: Column, row: i32): u64 {
  return column.kind(row) == KIND_NULL ? 0 : spreadHash(column.start(row), column.length(row));
}

// The same number as in `outcomes` in src/batch/event-batch.ts.
const DELIVER: u8 = 0;

/**
 * Hashes the ids of the delivered rows from `from` to `to`, at most `ROWS_AT_ONCE`, and loads their slots and
 * entries. Returns what they hold, so that the loads are not left out.
 */
export function hashIds(profile: Profile, rows: Rows, from: i32, to: i32): u32 {
  const users = changetype<Column>(<usize>rows.userID);
  const devices = changetype<Column>(<usize>rows.stableID);
  const ids = changetype<IdTables>(<usize>profile.ids);
  const userTable = changetype<IdTable>(<usize>ids.users);
  const deviceTable = changetype<IdTable>(<usize>ids.devices);
  let touched: u32 = 0;
  for (let row = from; row < to; row++) {
    const found = hashesOf(row, from);
    found.user = 0;
    found.device = 0;
    // Cells of other rows may point anywhere.
    if (load<u8>(<usize>rows.outcomes + <usize>row) != DELIVER) continue;
    found.user = hashOfCell(users, row);
    found.device = hashOfCell(devices, row);
    touched |= touchSlot(userTable, found.user) | touchSlot(deviceTable, found.device);
    if (rows.insertID == 0 || profile.idSet == 0) continue;
    found.insertID = hashOfCell(changetype<Column>(<usize>rows.insertID), row);
    touched |= touchId(changetype<IdSet>(<usize>profile.idSet), found.insertID);
  }
  for (let row = from; row < to; row++) {
    const found = hashesOf(row, from);
    touched |= touchEntry(userTable, found.user) | touchEntry(deviceTable, found.device);
  }
  return touched;
}

/** Finds the traits of an id, once for each row of its table. */
function findTraits(profile: Profile, hash: u64, start: usize, length: usize): u32 {
  const junk = changetype<JunkIds>(<usize>profile.junk);
  const names = changetype<SecretNames>(<usize>profile.secretNames);
  let traits: u32 = hasEmail(names, start, length) ? HAS_EMAIL : 0;
  if (hasDevicePrefix(start, length)) traits |= HAS_DEVICE_PREFIX;
  else if (isGenerated(start, length)) traits |= IS_GENERATED;
  const mayBeJunk = length < 64 && ((junk.lengths >> <u64>length) & 1) != 0;
  return mayBeJunk && findJunk(junk, hash) != 0 ? traits | IS_PLACEHOLDER : traits;
}

/** Counts a row of an id, finds its traits if it is new, and returns its number. */
@inline
function countRow(
  profile: Profile, table: IdTable, registers: u32, column: Column, row: i32, hash: u64
): u32 {
  const start = column.start(row);
  const length = column.length(row);
  const number = countId(table, start, <u32>length, hash);
  const entry = idEntryAt(table, number);
  if (entry.rows == 1) {
    entry.traits = findTraits(profile, hash, start, length);
    addToRegisters(registers, ID_BITS, hash);
  }
  return number;
}

/** Profiles the ids of a row that `hashIds` has hashed with those from row `from`. */
export function profileIds(profile: Profile, group: Group, rows: Rows, row: i32, from: i32): void {
  const users = changetype<Column>(<usize>rows.userID);
  const devices = changetype<Column>(<usize>rows.stableID);
  const tables = changetype<IdTables>(<usize>profile.ids);
  const junk = changetype<JunkIds>(<usize>profile.junk);
  const found = hashesOf(row, from);
  const hasUser = users.kind(row) != KIND_NULL;
  const hasDevice = devices.kind(row) != KIND_NULL;
  addFigure(profile, hasUser ? (hasDevice ? BOTH : USER_ONLY) : hasDevice ? DEVICE_ONLY : NONE, 1);
  const isSame = hasUser && hasDevice && found.user == found.device;
  if (isSame) addFigure(profile, SAME, 1);
  let user: u32 = 0;
  if (hasUser) {
    const table = changetype<IdTable>(<usize>tables.users);
    user = countRow(profile, table, profile.users, users, row, found.user);
    const traits = idEntryAt(table, user).traits;
    if (traits != 0) {
      if ((traits & HAS_EMAIL) != 0) addFigure(profile, EMAIL_USERS, 1);
      if ((traits & IS_PLACEHOLDER) != 0) changetype<Junk>(findJunk(junk, found.user)).userRows++;
      else if (!isSame) countShape(profile, traits, hasDevice);
    }
    if (group.users != 0) {
      const byte = <usize>group.users + <usize>(user >> 3);
      store<u8>(byte, load<u8>(byte) | (<u8>1 << <u8>(user & 7)));
    }
  }
  if (!hasDevice) return;
  const table = changetype<IdTable>(<usize>tables.devices);
  const device = countRow(profile, table, profile.devices, devices, row, found.device);
  const traits = idEntryAt(table, device).traits;
  if ((traits & HAS_EMAIL) != 0) addFigure(profile, EMAIL_DEVICES, 1);
  if ((traits & IS_PLACEHOLDER) != 0) changetype<Junk>(findJunk(junk, found.device)).deviceRows++;
  if (hasUser) countPairOfIds(tables, user, device);
}

/** Counts user ids that look as if a library had generated them for a device. */
@inline
function countShape(profile: Profile, traits: u32, hasDevice: bool): void {
  if ((traits & HAS_DEVICE_PREFIX) != 0) addFigure(profile, DEVICE_PREFIXES, 1);
  if ((traits & IS_GENERATED) != 0) {
    addFigure(profile, hasDevice ? GENERATED_BESIDE : GENERATED_ALONE, 1);
  }
}

/** Profiles the insert id of a row that `hashIds` has hashed with those from row `from`. */
export function profileInsertId(profile: Profile, rows: Rows, row: i32, from: i32): void {
  const source = rows.sources == 0 ? row : load<i32>(<usize>rows.sources + ((<usize>row) << 2));
  if (rows.sources != 0 && row > 0) {
    // The first of several events of one row has its insert id.
    if (load<i32>(<usize>rows.sources + ((<usize>(row - 1)) << 2)) == source) return;
  }
  const ids = changetype<Column>(<usize>rows.insertID);
  if (ids.kind(row) == KIND_NULL) return;
  addFigure(profile, WITH_INSERT_ID, 1);
  if (profile.idSet == 0) return;
  const hash = hashesOf(row, from).insertID;
  addToRegisters(profile.insertIDs, INSERT_ID_BITS, hash);
  addId(changetype<IdSet>(<usize>profile.idSet), hash);
}
