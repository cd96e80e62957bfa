// Remembers the members of the previous objects. Rows of one source mostly have the same keys in
// the same order, and many unwanted members keep their value. Bytes that are equal to remembered
// ones are well-formed without a check, so that the processor can run ahead.

import { REMEMBERED_BYTES_MAX, difference, hasControl, remember } from "./remembered-bytes";

/** Consecutive rows with another value after which a constant value is dropped. */
const MISSES_MAX: u32 = 3;

/** Rows between two tries for a constant value: doubled up to this by each failure. */
const PAUSE_MAX: u32 = 1_023;

/** Rows after the first occurrence of a member in which its value is not remembered. */
const FIRST_PAUSE: u32 = 3;

/** The n-th member of an object. Its bytes begin after the previous value, or with the brace. */
@unmanaged
export class ShapeMember {
  /** Bytes up to the value; 0 if nothing is remembered. */
  length: u32;
  /** Offset of the key's quote in these bytes. */
  key: u32;
  /** The wanted key of this member, or 0. */
  entry: usize;
  /** Bytes up to the one after a constant unwanted value; 0 if the value is not constant. */
  constant: u32;
  /** Consecutive rows with another value. */
  misses: u32;
  /** Rows until the value is remembered again. */
  wait: u32;
  pause: u32;
  /** The column, if only the text of this wanted key is wanted; otherwise 0. */
  column: usize;

  /** Notes that a value that had changed is the same again. */
  @inline
  holds(): void {
    this.misses = 0;
    this.pause = 0;
  }
}

/** Offset of the remembered bytes. */
const BYTES: usize = offsetof<ShapeMember>();

// The same number as in src/batch/field-table.ts.
const MEMBERS_MAX: usize = 64;
export const MEMBER_BYTES: usize = BYTES + REMEMBERED_BYTES_MAX;

/** Returns the last member, which also serves all members beyond it. */
@inline
export function lastMember(first: usize): usize {
  return first + (MEMBERS_MAX - 1) * MEMBER_BYTES;
}

/** Returns the member after `member`; the last one also serves all members beyond it. */
@inline
export function nextMember(member: usize, first: usize): usize {
  return member < lastMember(first) ? member + MEMBER_BYTES : member;
}

/** Returns true if the `length` bytes at `p` are those remembered of the member. */
@inline
export function isSame(member: ShapeMember, p: usize, length: usize): bool {
  return !v128.any_true(difference(changetype<usize>(member) + BYTES, p, length));
}

/** Returns true if the member at `p` begins as remembered and its value is within the data. */
@inline
export function beginsSame(member: ShapeMember, p: usize, end: usize): bool {
  const length = <usize>member.length;
  return length != 0 && isSame(member, p, length) && p + length < end;
}

/** Number of members after the expected one that are tried: members that this object may lack. */
const ABSENT_MAX: usize = 3;

/**
 * Returns the one of the next few members after `member` that begins like the bytes at `p`, or 0.
 * Members that are not found are inserted, which moves the others. In time the list holds all
 * members that an object may have, in their order; each object has some of them.
 */
export function findLater(member: usize, first: usize, p: usize, end: usize): usize {
  const last = min(member + ABSENT_MAX * MEMBER_BYTES, lastMember(first));
  for (let later = member + MEMBER_BYTES; later <= last; later += MEMBER_BYTES) {
    if (beginsSame(changetype<ShapeMember>(later), p, end)) return later;
  }
  return 0;
}

/** Returns true if the whole member at `p` is an unwanted one as remembered. */
@inline
export function isConstant(member: ShapeMember, p: usize, end: usize): bool {
  const length = <usize>member.constant;
  if (length == 0 || !isSame(member, p, length) || p + length > end) return false;
  if (member.misses != 0) member.holds();
  return true;
}

/**
 * Remembers a member that begins at `p`, with its key's quote at `key` and its value at `value`.
 * `entry` and `column` are as in `ShapeMember`; `spaced` if there is white space between. The entry
 * is set even if the rest is too long to remember. Reads 64 bytes.
 */
export function rememberKey(
  member: ShapeMember, p: usize, key: usize, value: usize, entry: usize, column: usize,
  spaced: bool,
): void {
  const length = value - p;
  member.length = 0;
  member.key = <u32>(key - p);
  member.entry = entry;
  member.constant = 0;
  member.wait = FIRST_PAUSE;
  member.pause = 0;
  if (length > REMEMBERED_BYTES_MAX || (spaced && hasControl(p, value))) return;
  member.length = <u32>length;
  member.column = column;
  remember(changetype<usize>(member) + BYTES, p);
}

/**
 * To be called if a member at `p` was not constant; its unwanted value ends at `after`. From time
 * to time the value is remembered, to see if it stays the same.
 */
@inline
export function noteValue(member: ShapeMember, p: usize, after: usize, end: usize): void {
  if (member.constant != 0) {
    if (++member.misses > MISSES_MAX) giveUp(member);
  } else if (member.wait != 0) {
    member.wait--;
  } else {
    rememberValue(member, p, after, end);
  }
}

function giveUp(member: ShapeMember): void {
  member.constant = 0;
  member.pause = min(member.pause * 2 + 1, PAUSE_MAX);
  member.wait = member.pause;
}

function rememberValue(member: ShapeMember, p: usize, after: usize, end: usize): void {
  // Includes the following byte: a longer number may begin with the same digits.
  const length = after + 1 - p;
  const follower = after < end ? load<u8>(after) : 0;
  const ends = follower == 0x2c || follower == 0x7d;
  if (member.length == 0 || !ends || length > REMEMBERED_BYTES_MAX || hasControl(p, after)) {
    member.wait = PAUSE_MAX;
    return;
  }
  memory.copy(changetype<usize>(member) + BYTES, p, length);
  member.constant = <u32>length;
  // Until it occurs a second time, one other value is enough to drop it.
  member.misses = MISSES_MAX;
}
