// Profiles rows apart from their properties: names, sizes, times and ids, and picks sample rows.

import { spreadHash } from "../byte-hash";
import { addName } from "./event-counts";
import { Column, KIND_NULL } from "../column";
import { countAt, Counts, lastRows } from "./counts";
import { addId, addToRegisters, IdSet } from "./distinct";
import { areIdsFull, countDevice, countPairOfIds, countUser, IdTables } from "./ids";
import { hasDevicePrefix, isGenerated } from "./id-shapes";
import { Group, groupAt, NO_DAY, Profile } from "./profile";
import { escapedBytes } from "../json/json-value";
import { hasEmail, SecretNames } from "./personal-values";
import { profileObject } from "./profile-properties";
import { lookAt, noteSize, pick, PICKED_NAMES } from "./row-picks";

// The same numbers as `outcomes` in src/batch/event-batch.ts and in src/base/reject-codes.ts.
const DELIVER: u32 = 0;
const FILTERED: u32 = 254;
const DUPLICATE: u32 = 253;
const EVENT_MISSING: u32 = 10;
const EVENT_NOT_TEXT: u32 = 11;
const TIME_MISSING: u32 = 12;
const UNIT_ID_MISSING: u32 = 15;
const TRANSFORM_FAILED: u32 = 20;

/** The number that event counts give to all names that did not fit. */
const OTHERS: u32 = 0;

const HOUR_MS: f64 = 3600000;
const DAY_MS: f64 = 86400000;

/** Register counts as exponents of two: for distinct users or devices, and for insert ids. */
const ID_BITS: u64 = 14;
const INSERT_ID_BITS: u64 = 16;

/** Bytes with a bit for each number of a user, as an exponent of two: the users of one name. */
const NAME_USERS_BITS: u32 = 13;

/** Byte offsets of the figures in src/profile/split-profile.ts. */
const BOTH: usize = 0;
const USER_ONLY: usize = 8;
const DEVICE_ONLY: usize = 16;
const FUTURE: usize = 24;
const SUSPICIOUS: usize = 32;
const MIDNIGHT: usize = 40;
const BYTES: usize = 48;
const WITH_INSERT_ID: usize = 56;
const NONE: usize = 64;
const SAME: usize = 72;
const DEVICE_PREFIXES: usize = 80;
const GENERATED_ALONE: usize = 88;
const GENERATED_BESIDE: usize = 96;
const EMAIL_USERS: usize = 104;
const EMAIL_DEVICES: usize = 112;

/** Bits of targets without a value, in the order of `profiledTargets` in src/profile/split-profile.ts. */
const EMPTY_USER_ID: i32 = 1;
const EMPTY_STABLE_ID: i32 = 2;
const EMPTY_VALUE: i32 = 4;
const EMPTY_USER: i32 = 8;
const EMPTY_METADATA: i32 = 16;
const EMPTY_INSERT_ID: i32 = 32;
const EMPTY_BITS: i32 = 6;

/** A day times 64 fits an i32. */
const DAYS_MAX: f64 = 33554431;

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

/** Counts an id and returns true if it is a placeholder. */
function countJunk(junk: JunkIds, hash: u64, isUser: bool): bool {
  for (let at = <usize>junk.first; at < <usize>junk.end; at += offsetof<Junk>()) {
    const candidate = changetype<Junk>(at);
    if (candidate.hash != hash) continue;
    if (isUser) candidate.userRows++;
    else candidate.deviceRows++;
    return true;
  }
  return false;
}

@inline
function addFigure(profile: Profile, figure: usize, amount: f64): void {
  const at = <usize>profile.figures + figure;
  store<f64>(at, load<f64>(at) + amount);
}

/** Counts sizes in 64 classes for each power of two: a size is known to within 0.8 percent. */
@inline
function countSize(profile: Profile, bytes: u32): void {
  const index = <usize>((reinterpret<u64>(<f64>bytes) >> 46) - (1023 << 6));
  const at = <usize>profile.sizeCounts + (index << 2);
  store<u32>(at, load<u32>(at) + 1);
}

function digitCount(value: f64): u32 {
  // The years 2001 to 2286.
  if (value >= 1e12 && value < 1e13) return 13;
  let digits: u32 = value < 0 ? 2 : 1;
  for (let rest = Math.abs(value); rest >= 10; rest /= 10) digits++;
  return digits;
}

/** Bytes of `{"event":"","timestamp":,"user":,"metadata":}` and of `,"value":`. */
const FRAME_BYTES: u32 = 45;
const VALUE_FRAME_BYTES: u32 = 9;

/** Returns true for placeholder times: values of clocks that are not set. */
function isSuspicious(timestamp: f64): bool {
  return (
    timestamp <= 946684800000 ||
    timestamp == 978307200000 ||
    timestamp == 1000000000000 ||
    timestamp == 2145916800000 ||
    timestamp == 2147483647000
  );
}

/** Columns of an event batch in the order of `textColumns`, its insert ids, and arrays by row. */
@unmanaged
class Rows {
  outcomes: u32;
  event: u32;
  userID: u32;
  stableID: u32;
  value: u32;
  user: u32;
  metadata: u32;
  /** 0 if insert ids are not needed. */
  insertID: u32;
  /** Doubles. */
  timestamps: u32;
  /** Doubles: timestamps as wall-clock time in the zone of days. */
  locals: u32;
  /** The row of the batch (u32) that each row came from; 0 if they are the same. */
  sources: u32;
  count: u32;
}

function profileTime(profile: Profile, timestamp: f64, local: f64, now: f64): void {
  if (timestamp > now) addFigure(profile, FUTURE, 1);
  if (isSuspicious(timestamp)) addFigure(profile, SUSPICIOUS, 1);
  if (local == Math.floor(local / DAY_MS) * DAY_MS) addFigure(profile, MIDNIGHT, 1);
  countAt(changetype<Counts>(<usize>profile.hours), <i32>Math.floor(local / HOUR_MS));
}

/** Counts user ids that look as if a library had generated them for a device. */
@inline
function profileShape(profile: Profile, start: usize, length: usize, hasDevice: bool): void {
  if (hasDevicePrefix(start, length)) addFigure(profile, DEVICE_PREFIXES, 1);
  else if (isGenerated(start, length)) {
    addFigure(profile, hasDevice ? GENERATED_BESIDE : GENERATED_ALONE, 1);
  }
}

function profileIds(profile: Profile, group: Group, rows: Rows, row: i32): void {
  const user = changetype<Column>(<usize>rows.userID);
  const device = changetype<Column>(<usize>rows.stableID);
  const junk = changetype<JunkIds>(<usize>profile.junk);
  let userHash: u64 = 0;
  let deviceHash: u64 = 0;
  const hasUser = user.kind(row) != KIND_NULL;
  const hasDevice = device.kind(row) != KIND_NULL;
  let isJunk = false;
  const names = changetype<SecretNames>(<usize>profile.secretNames);
  if (hasUser) {
    const length = user.length(row);
    if (hasEmail(names, user.start(row), length)) addFigure(profile, EMAIL_USERS, 1);
    userHash = spreadHash(user.start(row), length);
    addToRegisters(profile.users, ID_BITS, userHash);
    if (length < 64 && (junk.lengths >> <u64>length) & 1) isJunk = countJunk(junk, userHash, true);
  }
  if (hasDevice) {
    const length = device.length(row);
    if (hasEmail(names, device.start(row), length)) addFigure(profile, EMAIL_DEVICES, 1);
    deviceHash = spreadHash(device.start(row), length);
    addToRegisters(profile.devices, ID_BITS, deviceHash);
    if (length < 64 && (junk.lengths >> <u64>length) & 1) countJunk(junk, deviceHash, false);
  }
  addFigure(profile, hasUser ? (hasDevice ? BOTH : USER_ONLY) : hasDevice ? DEVICE_ONLY : NONE, 1);
  if (hasUser && hasDevice && userHash == deviceHash) addFigure(profile, SAME, 1);
  else if (hasUser && !isJunk) profileShape(profile, user.start(row), user.length(row), hasDevice);
  const ids = changetype<IdTables>(<usize>profile.ids);
  const userNumber = hasUser ? countUser(ids, user.start(row), user.length(row), userHash) : 0;
  if (hasDevice) {
    const number = countDevice(ids, device.start(row), device.length(row), deviceHash);
    if (hasUser) countPairOfIds(ids, userNumber, number);
  }
  if (group.users != 0 && hasUser) {
    const byte = <usize>group.users + <usize>(userNumber >> 3);
    store<u8>(byte, load<u8>(byte) | (<u8>1 << <u8>(userNumber & 7)));
  }
}

function profileInsertId(profile: Profile, rows: Rows, row: i32): void {
  const source = rows.sources == 0 ? row : load<i32>(<usize>rows.sources + ((<usize>row) << 2));
  if (rows.sources != 0 && row > 0) {
    // The first of several events of one row has its insert id.
    if (load<i32>(<usize>rows.sources + ((<usize>(row - 1)) << 2)) == source) return;
  }
  const ids = changetype<Column>(<usize>rows.insertID);
  if (ids.kind(row) == KIND_NULL) return;
  const hash = spreadHash(ids.start(row), ids.length(row));
  addFigure(profile, WITH_INSERT_ID, 1);
  addToRegisters(profile.insertIDs, INSERT_ID_BITS, hash);
  addId(changetype<IdSet>(<usize>profile.idSet), hash);
}

/** Returns true if the target's column is null in a row. */
@inline
function isNull(column: u32, row: i32): bool {
  return changetype<Column>(<usize>column).kind(row) == KIND_NULL;
}

/** Counts an event by its day and the targets that it has no value for. */
function profileEmpty(profile: Profile, rows: Rows, row: i32, empty: i32): void {
  let targets = empty;
  if (isNull(rows.userID, row)) targets |= EMPTY_USER_ID;
  if (isNull(rows.stableID, row)) targets |= EMPTY_STABLE_ID;
  if (isNull(rows.value, row)) targets |= EMPTY_VALUE;
  if (rows.insertID == 0 || isNull(rows.insertID, row)) targets |= EMPTY_INSERT_ID;
  const day = Math.floor(load<f64>(<usize>rows.locals + ((<usize>row) << 3)) / DAY_MS);
  if (Math.abs(day) > DAYS_MAX) return;
  const counts = changetype<Counts>(<usize>profile.emptyTargets);
  countAt(counts, (<i32>day << EMPTY_BITS) | targets);
  lookAt(profile, row, lastRows(counts), targets);
}

/** Returns the bytes of the event as one line of JSON, without its end. */
function eventBytes(group: Group, isOthers: bool, rows: Rows, row: i32, timestamp: f64): u32 {
  const value = changetype<Column>(<usize>rows.value);
  if (group.frameBytes == 0 || isOthers) {
    const event = changetype<Column>(<usize>rows.event);
    group.frameBytes = FRAME_BYTES + escapedBytes(event.start(row), event.length(row));
  }
  let bytes = group.frameBytes + digitCount(timestamp);
  bytes += <u32>changetype<Column>(<usize>rows.user).length(row);
  bytes += <u32>changetype<Column>(<usize>rows.metadata).length(row);
  if (value.kind(row) != KIND_NULL) bytes += VALUE_FRAME_BYTES + <u32>value.length(row);
  return bytes;
}

function profileEvent(profile: Profile, rows: Rows, row: i32, now: f64): void {
  const event = changetype<Column>(<usize>rows.event);
  const user = changetype<Column>(<usize>rows.user);
  const metadata = changetype<Column>(<usize>rows.metadata);
  const timestamp = load<f64>(<usize>rows.timestamps + ((<usize>row) << 3));
  const number = addName(profile.eventCounts, event.start(row), event.length(row));
  const group = groupAt(profile, number);
  const isLookedAt = number != OTHERS && number <= profile.groupsMax;
  if (isLookedAt && group.users == 0) {
    group.users = profile.groupUsers + (number << NAME_USERS_BITS);
    memory.fill(group.users, 0, 1 << NAME_USERS_BITS);
  }
  const bytes = eventBytes(group, number == OTHERS, rows, row, timestamp);
  group.bytes += <f64>bytes;
  if (bytes > group.bytesMax) group.bytesMax = bytes;
  addFigure(profile, BYTES, <f64>bytes);
  countSize(profile, bytes);
  noteSize(profile, row, bytes);
  const local = load<f64>(<usize>rows.locals + ((<usize>row) << 3));
  profile.day = timestamp > now ? NO_DAY : <i32>Math.floor(local / DAY_MS);
  profileTime(profile, timestamp, local, now);
  profileIds(profile, group, rows, row);
  if (rows.insertID != 0) profileInsertId(profile, rows, row);
  const end = metadata.start(row) + metadata.length(row);
  const hasMetadata = isLookedAt
    ? profileObject(profile, group, number, metadata.start(row), end)
    : metadata.length(row) > 2;
  const users = changetype<Group>(<usize>profile.userGroup);
  const userEnd = user.start(row) + user.length(row);
  const hasUser = profileObject(profile, users, profile.namesMax, user.start(row), userEnd);
  profileEmpty(profile, rows, row, (hasMetadata ? 0 : EMPTY_METADATA) | (hasUser ? 0 : EMPTY_USER));
  if (number != OTHERS && number < PICKED_NAMES) pick(profile, row, number);
}

function profileReject(profile: Profile, rows: Rows, row: i32, code: u32): void {
  pick(profile, row, PICKED_NAMES + code);
  const rejected = <usize>profile.rejectedRows + ((<usize>code) << 2);
  const number = load<u32>(rejected) + 1;
  store<u32>(rejected, number);
  if (code == EVENT_MISSING || code == TIME_MISSING || code == UNIT_ID_MISSING) {
    lookAt(profile, row, number, 0);
  }
  const hasTime = (code >= UNIT_ID_MISSING && code <= TRANSFORM_FAILED) ||
    code == EVENT_MISSING || code == EVENT_NOT_TEXT;
  if (!hasTime) return;
  const local = load<f64>(<usize>rows.locals + ((<usize>row) << 3));
  if (isNaN(local)) return;
  countAt(changetype<Counts>(<usize>profile.rejectedDays), <i32>Math.floor(local / DAY_MS));
}

/**
 * Profiles the rows of an event batch from row `from`, and leaves candidates. Returns the row before
 * which the counts of ids must be taken out; the number of rows if all are done. `now`: milliseconds
 * since 1970 UTC.
 */
export function profileRows(profile: Profile, rows: Rows, from: i32, now: f64): i32 {
  const ids = changetype<IdTables>(<usize>profile.ids);
  if (from == 0) profile.candidateCount = 0;
  for (let row = from; row < <i32>rows.count; row++) {
    const outcome = <u32>load<u8>(<usize>rows.outcomes + <usize>row);
    if (outcome == DELIVER) {
      if (areIdsFull(ids)) return row;
      profileEvent(profile, rows, row, now);
    } else if (outcome != FILTERED && outcome != DUPLICATE) profileReject(profile, rows, row, outcome);
  }
  profile.rows += rows.count;
  return rows.count;
}
