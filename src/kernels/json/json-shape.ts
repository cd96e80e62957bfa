// How the members of the last objects looked. Rows of one source mostly have the same keys in the same
// order, and many members that nobody asks for keep their value. Where the bytes are the same again,
// they are known to be well-formed without looking at them: the processor can run ahead.

import { REMEMBERED_BYTES_MAX, difference, hasControl, remember } from "./remembered-bytes";

/** Rows in which a value that had stayed the same may be another one before it is given up. */
const MISSES_MAX: u32 = 3;

/** Rows between two tries whether a value stays the same: doubled up to this by each that fails. */
const PAUSE_MAX: u32 = 1_023;

/** Rows after a member was met first in which its value is not remembered. */
const FIRST_PAUSE: u32 = 3;

/** The n-th member of an object. Its bytes begin behind the value before it, or with the brace. */
@unmanaged
export class ShapeMember {
  /** Bytes up to the value; 0 when nothing is remembered. */
  length: u32;
  /** Where in them the key's quote is. */
  key: u32;
  /** The wanted key that it is, or 0. */
  entry: usize;
  /** Bytes with an unwanted value that stays the same and what follows on it; 0 when it does not. */
  constant: u32;
  /** Rows in a row in which it did not. */
  misses: u32;
  /** Rows until the value is remembered again. */
  wait: u32;
  pause: u32;
  /** Of a wanted key of which only the text is wanted its column, else 0. */
  column: usize;

  /** Notes that a value that had changed is the same again. */
  @inline
  holds(): void {
    this.misses = 0;
    this.pause = 0;
  }
}

/** Where in it these bytes begin. */
const BYTES: usize = offsetof<ShapeMember>();

// The same number as in src/batch/field-table.ts.
const MEMBERS_MAX: usize = 64;
export const MEMBER_BYTES: usize = BYTES + REMEMBERED_BYTES_MAX;

/** The last place: it serves all members beyond it, too. */
@inline
export function lastMember(first: usize): usize {
  return first + (MEMBERS_MAX - 1) * MEMBER_BYTES;
}

/** The place after the `n`-th; the last serves all members beyond it. */
@inline
export function nextMember(member: usize, first: usize): usize {
  return member < lastMember(first) ? member + MEMBER_BYTES : member;
}

/** Whether the `length` bytes at `p` are those remembered of the member. */
@inline
export function isSame(member: ShapeMember, p: usize, length: usize): bool {
  return !v128.any_true(difference(changetype<usize>(member) + BYTES, p, length));
}

/** Whether the member at `p` begins as remembered, and its value within the data. */
@inline
export function beginsSame(member: ShapeMember, p: usize, end: usize): bool {
  const length = <usize>member.length;
  return length != 0 && isSame(member, p, length) && p + length < end;
}

/** Places after the expected one that are looked at: members that this object does not have. */
const ABSENT_MAX: usize = 3;

/**
 * The place among the next few after `member` that begins as what is at `p`, or 0. Members that are
 * not found are remembered in between, which moves the others on: so places come to hold all members
 * that an object may have, in their order, of which each object has some.
 */
export function findLater(member: usize, first: usize, p: usize, end: usize): usize {
  const last = min(member + ABSENT_MAX * MEMBER_BYTES, lastMember(first));
  for (let later = member + MEMBER_BYTES; later <= last; later += MEMBER_BYTES) {
    if (beginsSame(changetype<ShapeMember>(later), p, end)) return later;
  }
  return 0;
}

/** Whether the whole member at `p` is an unwanted one as remembered. */
@inline
export function isConstant(member: ShapeMember, p: usize, end: usize): bool {
  const length = <usize>member.constant;
  if (length == 0 || !isSame(member, p, length) || p + length > end) return false;
  if (member.misses != 0) member.holds();
  return true;
}

/**
 * Remembers a member that begins at `p`, has its key's quote at `key`, and its value at `value`;
 * `entry` and `column` as in `ShapeMember`, `spaced` where there is white space between. Its entry is set
 * even where the rest is too long to be remembered. Reads 64 bytes.
 */
export function rememberKey(
  member: ShapeMember,
  p: usize,
  key: usize,
  value: usize,
  entry: usize,
  column: usize,
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
 * To be called where a member at `p` was not constant: its unwanted value ends at `after`. From time
 * to time the value is remembered, to see whether it stays the same.
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
  // What follows on it belongs to it: a longer number may begin with the same digits.
  const length = after + 1 - p;
  const follower = after < end ? load<u8>(after) : 0;
  const ends = follower == 0x2c || follower == 0x7d;
  if (member.length == 0 || !ends || length > REMEMBERED_BYTES_MAX || hasControl(p, after)) {
    member.wait = PAUSE_MAX;
    return;
  }
  memory.copy(changetype<usize>(member) + BYTES, p, length);
  member.constant = <u32>length;
  // Until it is seen a second time, one other value is enough to give it up.
  member.misses = MISSES_MAX;
}
