// What a dry run learns of a split, as far as it lies in kernel memory; made in
// src/profile/profile-memory.ts, read by src/profile/event-profile.ts. Of each event name there is
// a `Group`, of each property of a group a `Key`, and in that a `Frequent` with its values. All
// users together are one more group. Everything has room for so many and no more; what comes later
// is only counted, as that for which there was no place.

import { Frequent } from "./frequent";

/** Addresses and counts of one profile, all u32, in the order of `words` in profile-memory.ts. */
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
  /** One more than there are: place 0 is none. */
  keyCount: u32;
  keysMax: u32;
  text: u32;
  textEnd: u32;
  arena: u32;
  members: u32;
  scratch: u32;
  /** Objects looked at so far, to know repeated members by. */
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
  topUsers: u32;
  topDevices: u32;
  junk: u32;
  sizeCounts: u32;
  figures: u32;
  groupUsers: u32;
  /** Rows of event batches so far. */
  rows: u32;
  /** What else decides which rows are picked. */
  seed: u32;
  namesMax: u32;
}

/** What is known of the events of one name, or of users. */
@unmanaged
export class Group {
  bytes: f64;
  bytesMax: u32;
  /** Bytes of an event as JSON beside its cells; 0 before the first one. */
  frameBytes: u32;
  /** Registers for distinct users, or 0. */
  users: u32;
  /** Events whose properties were looked at. */
  rows: u32;
  /** Values of keys for which there was no place. */
  otherValues: u32;
  /** Key that its last object began with. */
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
  /** Whether the text is what stands between the quotes. */
  isPlain: u32;
  /** An id among the properties of users, which is none of them. */
  isId: u32;
  rows: u32;
  bytesMin: u32;
  bytesMax: u32;
  /** Key that followed it the last time. */
  next: u32;
  /** The object that it was last seen in, and its place among the members. */
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

  @inline
  get values(): Frequent {
    return changetype<Frequent>(changetype<usize>(this) + offsetof<Key>("entries"));
  }
}

@inline
export function groupAt(profile: Profile, number: u32): Group {
  return changetype<Group>(<usize>profile.groups + <usize>number * offsetof<Group>());
}

@inline
export function keyAt(profile: Profile, place: u32): Key {
  return changetype<Key>(<usize>profile.keys + <usize>place * offsetof<Key>());
}
