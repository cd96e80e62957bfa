// The part of a split's profile that is in kernel memory; made in src/profile/profile-memory.ts,
// read by src/profile/event-profile.ts. Each event name has a `Group`, each property of a group a
// `Key`, and each key a `Frequent` with its values. All users together are one more group. Every
// table has a fixed maximum; entries that do not fit are only counted.

import { Frequent } from "./frequent";

/** Addresses and counts of one profile; laid out by src/profile/profile-memory.ts. */
@unmanaged
export class Profile {
  /** Numbers the event names. */
  eventCounts: u32;
  /** One `Group` for each counted name, and the number of groups whose properties are profiled. */
  groups: u32;
  groupsMax: u32;
  /** `Group` of the properties of users. */
  userGroup: u32;
  keyIndex: u32;
  keyMask: u32;
  keys: u32;
  /** One more than there are keys: index 0 means none. */
  keyCount: u32;
  keysMax: u32;
  text: u32;
  textEnd: u32;
  arena: u32;
  members: u32;
  scratch: u32;
  /** Objects profiled so far, which identify repeated members. */
  objects: u32;
  picks: u32;
  candidates: u32;
  candidateCount: u32;
  largest: u32;
  hours: u32;
  rejectedDays: u32;
  users: u32;
  devices: u32;
  insertIDs: u32;
  idSet: u32;
  /** `IdTables`. */
  ids: u32;
  junk: u32;
  sizeCounts: u32;
  figures: u32;
  groupUsers: u32;
  /** Room for the indexes (u16) of the users of one group. */
  takenUsers: u32;
  /** Rows of event batches so far. */
  rows: u32;
  /** Selects the sample rows, together with their numbers. */
  seed: u32;
  namesMax: u32;
  /** `Counts` of events by day and empty targets. */
  emptyTargets: u32;
  /** Day of the current event (i32), or `NO_DAY`. */
  day: i32;
  /** Rejected rows (u32) of each code. */
  rejectedRows: u32;
  /** Rows whose fields were looked at. */
  lookedAt: u32;
  /** `SecretNames`. */
  secretNames: u32;
  /** Takes what is loaded only for the processor's cache. */
  touched: u32;
  /**
   * By the targets that rows lack, then by reject codes: rows (i32) for which no row stands that was looked
   * at, then all rows (u32).
   */
  unseen: u32;
}

/** The day of events in the future: clocks that are wrong. */
export const NO_DAY: i32 = i32.MIN_VALUE;

/** The events of one name, or all users. */
@unmanaged
export class Group {
  bytes: f64;
  bytesMax: u32;
  /** Bytes of an event as JSON without its cells; 0 before the first one. */
  frameBytes: u32;
  /** A bit for each number of a user in `IdTables`; 0 before its first row, and beyond the limit. */
  users: u32;
  /** Events whose properties were profiled. */
  rows: u32;
  /** Values of keys that did not fit. */
  otherValues: u32;
  /** Key of the first member of its last object. */
  first: u32;
}

/** One key of one group. */
@unmanaged
export class Key {
  hash: u64;
  bytes: f64;
  numberMin: f64;
  numberMax: f64;
  group: u32;
  start: u32;
  length: u32;
  /** True if the key's text is equal to its JSON without the quotes. */
  isPlain: u32;
  /** An id in the properties of users, which does not count as a property. */
  isId: u32;
  rows: u32;
  bytesMin: u32;
  bytesMax: u32;
  /** Its last successor. */
  next: u32;
  /** The last object that has it, and the index among that object's members. */
  object: u32;
  member: u32;
  strings: u32;
  numbers: u32;
  booleans: u32;
  objects: u32;
  arrays: u32;
  nulls: u32;
  // A `Frequent`, in place.
  entries: u32;
  index: u32;
  count: u32;
  max: u32;
  entryBytes: u32;
  taken: u32;
  registers: u32;
  /** Days of its first and last values; first is after last if there are none. */
  firstDay: i32;
  lastDay: i32;
  /** Rows of values with personal contents, and by content, as src/profile/report.ts describes. */
  personal: u32;
  emails: u32;
  secrets: u32;
  beyondQuery: u32;

  @inline
  get values(): Frequent {
    return changetype<Frequent>(changetype<usize>(this) + offsetof<Key>("entries"));
  }
}

/** Columns of an event batch in the order of `textColumns`, its insert ids, and arrays by row. */
@unmanaged
export class Rows {
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

@inline
export function groupAt(profile: Profile, number: u32): Group {
  return changetype<Group>(<usize>profile.groups + <usize>number * offsetof<Group>());
}

@inline
export function keyAt(profile: Profile, index: u32): Key {
  return changetype<Key>(<usize>profile.keys + <usize>index * offsetof<Key>());
}
