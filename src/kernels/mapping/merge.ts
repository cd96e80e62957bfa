// Merges the objects of several columns (parts) into one flat object. Of members of the same name, the
// part that has the first value other than null keeps its members, and the others give way. Stretches
// without such members are copied whole, so that white space, digits and repeated names within a part
// stay as they are.

import { equal, hashOf } from "../byte-hash";
import { Column, KIND_NULL, KIND_OBJECT } from "../column";
import { skipValueAt } from "../json/json-nested";
import { escaped, skipSpace, skipString, unescape } from "../json/json-value";
import { copyLoose, copyWide } from "../utf8";

/** The parts and the room for merging one row; made by src/mapper/merged-target.ts. */
@unmanaged
class Merge {
  /** Addresses of the parts' columns, of checked objects and nulls. */
  parts: usize;
  partCount: i32;
  /** Room for a `MergeMember` for each member of the longest row, and u32 slots of their hash table. */
  members: usize;
  slots: usize;
  /** Room for names without escapes. */
  names: usize;
  /** Rows in which a value other than null gave way. */
  collisions: u32;
  /** A bit for each hash of the first three bytes of a name; 0 unless all later names are known. */
  starts: usize;
}

/** A member of the current row. */
@unmanaged
class MergeMember {
  name: usize;
  nameLength: usize;
  hash: u32;
  /** The part, and NULL_VALUE if the value is null. */
  state: u32;
  /** Index of the first member with this name. */
  first: u32;
  /** The state of the member that wins, for a first member. */
  winner: u32;
}

const NULL_VALUE: u32 = 0x80000000;
const PART: u32 = 0x7fffffff;

const MERGE_MEMBER_BYTES: usize = offsetof<MergeMember>();

@inline
function partAt(merge: Merge, part: i32): Column {
  return changetype<Column>(<usize>load<u32>(merge.parts + (<usize>part << 2)));
}

@inline
function memberAt(merge: Merge, index: i32): MergeMember {
  return changetype<MergeMember>(merge.members + <usize>index * MERGE_MEMBER_BYTES);
}

/** Returns true if the row's object in this part has members. */
@inline
function isFilled(column: Column, row: i32): bool {
  if (column.kind(row) == KIND_NULL) return false;
  const inside = column.start(row) + 1;
  const end = inside + column.length(row) - 2;
  return inside < end && (load<u8>(inside) == 0x22 || skipSpace(inside, end) != end);
}

/** Bytes of `Merge.starts`. */
const STARTS_BYTES: u32 = 512;

@inline
function startBit(name: usize): u32 {
  return ((load<u32>(name) & 0xffffff) * 0x9e3779b1) % (STARTS_BYTES << 3);
}

/** Notes a name of a later part: with the quote after it, it has at least three bytes. */
export function noteLaterName(merge: Merge, name: usize): void {
  const bit = startBit(name);
  const address = merge.starts + (bit >> 3);
  store<u8>(address, load<u8>(address) | (<u8>1 << <u8>(bit & 7)));
}

/**
 * Returns true if a member may have a noted name; false is certain. A name begins after a quote, and
 * is written with other bytes only if it has an escape. Takes a third of the time that `listMembers`
 * takes. Reads up to 20 bytes past the end.
 */
function mayShare(merge: Merge, p: usize, end: usize): bool {
  const starts = merge.starts;
  for (; p < end; p += 16) {
    const bytes = v128.load(p);
    if (v128.any_true(i8x16.eq(bytes, i8x16.splat(0x5c)))) return true;
    let quotes = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0x22)));
    for (; quotes != 0; quotes &= quotes - 1) {
      const bit = startBit(p + <usize>ctz(quotes) + 1);
      if (((load<u8>(starts + (bit >> 3)) >> (bit & 7)) & 1) != 0) return true;
    }
  }
  return false;
}

/** The target of the next name without escapes. */
let namesTop: usize = 0;

/** Lists the members of the object with this inside; returns the number of members listed so far. */
function listMembers(merge: Merge, part: i32, p: usize, end: usize, count: i32): i32 {
  while (true) {
    const name = skipSpace(p, end) + 1;
    const nameEnd = skipString(name, end);
    const member = memberAt(merge, count++);
    member.name = name;
    member.nameLength = nameEnd - name;
    if (escaped) {
      member.name = namesTop;
      member.nameLength = unescape(name, nameEnd, namesTop);
      namesTop += member.nameLength;
    }
    member.hash = <u32>(hashOf(member.name, member.nameLength) >> 32);
    const value = skipSpace(skipSpace(nameEnd + 1, end) + 1, end);
    // No other JSON value begins with n.
    member.state = <u32>part | (load<u8>(value) == 0x6e ? NULL_VALUE : 0);
    p = skipSpace(skipValueAt(value, end, 1), end);
    if (p >= end) return count;
    p++;
  }
}

/** Finds the first member of each name and the state that wins; returns true if parts share a name. */
function findWinners(merge: Merge, count: i32): bool {
  const size = <usize>1 << <usize>(32 - clz<u32>(<u32>(2 * count - 1)));
  const mask = <u32>size - 1;
  memory.fill(merge.slots, 0, size << 2);
  let shared = false;
  for (let index = 0; index < count; index++) {
    const member = memberAt(merge, index);
    let slot = member.hash & mask;
    while (true) {
      const address = merge.slots + (<usize>slot << 2);
      const taken = load<u32>(address);
      if (taken == 0) {
        store<u32>(address, <u32>index + 1);
        member.first = <u32>index;
        member.winner = member.state;
        break;
      }
      const first = memberAt(merge, <i32>taken - 1);
      if (
        first.hash == member.hash &&
        first.nameLength == member.nameLength &&
        equal(first.name, member.name, member.nameLength)
      ) {
        member.first = taken - 1;
        if ((first.state & PART) != (member.state & PART)) shared = true;
        if ((first.winner & NULL_VALUE) > (member.state & NULL_VALUE)) first.winner = member.state;
        break;
      }
      slot = (slot + 1) & mask;
    }
  }
  return shared;
}

@inline
function givesWay(merge: Merge, member: MergeMember): bool {
  return ((memberAt(merge, <i32>member.first).winner ^ member.state) & PART) != 0;
}

/** Counts the row if a value other than null gives way. */
function countCollision(merge: Merge, count: i32): void {
  for (let index = 0; index < count; index++) {
    const member = memberAt(merge, index);
    if ((member.state & NULL_VALUE) != 0 || !givesWay(merge, member)) continue;
    merge.collisions++;
    return;
  }
}

/** Result of `copyKept`: the index after the part's members. */
let nextMember: i32 = 0;

/** Copies the members of one part, from `index` on, that do not give way; each after a comma. */
function copyKept(merge: Merge, index: i32, t: usize, p: usize, end: usize): usize {
  while (true) {
    const start = p;
    const nameEnd = skipString(skipSpace(p, end) + 1, end);
    const value = skipSpace(skipSpace(nameEnd + 1, end) + 1, end);
    p = skipSpace(skipValueAt(value, end, 1), end);
    if (!givesWay(merge, memberAt(merge, index++))) {
      store<u8>(t, 0x2c);
      t = copyLoose(t + 1, start, p - start);
    }
    if (p >= end) {
      nextMember = index;
      return t;
    }
    p++;
  }
}

/** Lists the members of a row; returns false if its parts share no name. */
function findShared(merge: Merge, row: i32): bool {
  if (merge.starts != 0) {
    const first = partAt(merge, 0);
    if (first.kind(row) == KIND_NULL) return false;
    if (!mayShare(merge, first.start(row), first.start(row) + first.length(row))) return false;
  }
  namesTop = merge.names;
  let count = 0;
  for (let part = 0; part < merge.partCount; part++) {
    const column = partAt(merge, part);
    if (!isFilled(column, row)) continue;
    const inside = column.start(row) + 1;
    count = listMembers(merge, part, inside, inside + column.length(row) - 2, count);
  }
  if (!findWinners(merge, count)) return false;
  countCollision(merge, count);
  return true;
}

/** Writes the merged object of a row of which several parts have members. */
function mergeRow(merge: Merge, row: i32, t: usize): usize {
  const isShared = findShared(merge, row);
  const start = t;
  let index = 0;
  for (let part = 0; part < merge.partCount; part++) {
    const column = partAt(merge, part);
    if (!isFilled(column, row)) continue;
    const inside = column.start(row) + 1;
    const length = column.length(row) - 2;
    if (isShared) {
      t = copyKept(merge, index, t, inside, inside + length);
      index = nextMember;
    } else {
      store<u8>(t, 0x2c);
      t = copyWide(t + 1, inside, length);
    }
  }
  store<u8>(start, 0x7b);
  store<u8>(t++, 0x7d);
  return t;
}

/**
 * Points `target` at each row's merged object: null if all parts are null, the object itself if only
 * one part has members, else an object that is written to `output`. `output` has room for the bytes
 * of all parts and 64 more.
 */
export function mergeObjects(
  merge: Merge, outcomes: usize, target: Column, rows: i32, output: usize,
): void {
  let t = output;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    let filled = 0;
    let chosen = -1;
    for (let part = 0; part < merge.partCount; part++) {
      const column = partAt(merge, part);
      if (isFilled(column, row)) {
        if (filled++ == 0) chosen = part;
      } else if (chosen < 0 && column.kind(row) != KIND_NULL) {
        chosen = part;
      }
    }
    if (filled > 1) {
      const start = t;
      t = mergeRow(merge, row, t);
      target.set(row, KIND_OBJECT, start, t - start);
    } else if (chosen < 0) {
      target.set(row, KIND_NULL, t, 0);
    } else {
      const only = partAt(merge, chosen);
      target.set(row, KIND_OBJECT, only.start(row), only.length(row));
    }
  }
}
