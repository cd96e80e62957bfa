// Profiles rows apart from their properties: names, sizes, times and ids, and picks sample rows.

import { addName } from "./event-counts";
import { Column, KIND_NULL } from "../column";
import { countAt, Counts, lastRows } from "./counts";
import { addFigure, BYTES, FUTURE, MIDNIGHT, SUSPICIOUS } from "./figures";
import { areIdsFull, IdTables } from "./ids";
import { Group, groupAt, NO_DAY, Profile, Rows } from "./profile";
import { escapedBytes } from "../json/json-value";
import { profileObject } from "./profile-properties";
import { hashIds, profileIds, profileInsertId, ROWS_AT_ONCE } from "./row-ids";
import { lookAt, noteSize, pick, PICKED_NAMES, REJECTED_KINDS } from "./row-picks";

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

/** Bytes with a bit for each number of a user, as an exponent of two: the users of one name. */
const NAME_USERS_BITS: u32 = 13;

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

function profileTime(profile: Profile, timestamp: f64, local: f64, now: f64): void {
  if (timestamp > now) addFigure(profile, FUTURE, 1);
  if (isSuspicious(timestamp)) addFigure(profile, SUSPICIOUS, 1);
  if (local == Math.floor(local / DAY_MS) * DAY_MS) addFigure(profile, MIDNIGHT, 1);
  countAt(changetype<Counts>(<usize>profile.hours), <i32>Math.floor(local / HOUR_MS));
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
  lookAt(profile, row, lastRows(counts), targets, targets);
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

function profileEvent(profile: Profile, rows: Rows, row: i32, hashedFrom: i32, now: f64): void {
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
  profileIds(profile, group, rows, row, hashedFrom);
  if (rows.insertID != 0) profileInsertId(profile, rows, row, hashedFrom);
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
    lookAt(profile, row, number, REJECTED_KINDS + code, 0);
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
  let hashedFrom = from;
  let hashedTo = from;
  for (let row = from; row < <i32>rows.count; row++) {
    if (row == hashedTo) {
      hashedFrom = row;
      hashedTo = min(row + ROWS_AT_ONCE, <i32>rows.count);
      profile.touched = hashIds(profile, rows, hashedFrom, hashedTo);
    }
    const outcome = <u32>load<u8>(<usize>rows.outcomes + <usize>row);
    if (outcome == DELIVER) {
      if (areIdsFull(ids)) return row;
      profileEvent(profile, rows, row, hashedFrom, now);
    } else if (outcome != FILTERED && outcome != DUPLICATE) profileReject(profile, rows, row, outcome);
  }
  profile.rows += rows.count;
  return rows.count;
}
