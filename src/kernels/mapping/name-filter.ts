// Filters event names by wildcards. An export has few names and many rows, so each name is judged
// once. A hash table with linear probing keeps each name with its verdict, from batch to batch, in
// memory of fixed size. Names that do not fit are judged each time.

import { Column, KIND_NULL } from "../column";

// The same number as `outcomes.filtered` in src/batch/event-batch.ts.
const FILTERED: u8 = 254;

/** Layout as written by src/mapper/event-filter.ts. */
@unmanaged
class Filter {
  /** Pairs of address and length; an event must match at least one of them, if there are any. */
  includes: usize;
  includesEnd: usize;
  /** Pairs as well; an event must not match any of them. */
  excludes: usize;
  excludesEnd: usize;
  /** Slots, a power of two of them, initially cleared. */
  slots: usize;
  slotMask: u32;
  /** Number of slots that may still be filled. */
  slotsLeft: u32;
  /** The target of the next new name. */
  names: usize;
  namesEnd: usize;
}

/** A known name. An empty slot has start 0. */
@unmanaged
class Slot {
  hash: u32;
  start: usize;
  length: usize;
  isOut: u32;
}

const SLOT_BYTES: usize = offsetof<Slot>();

function hashOf(p: usize, end: usize): u32 {
  let hash: u32 = 0x811c9dc5;
  for (; p < end; p++) hash = (hash ^ <u32>load<u8>(p)) * 0x01000193;
  return hash ^ (hash >> 15);
}

/** Returns the address after the UTF-8 character at `p`. */
function afterCharacter(p: usize, end: usize): usize {
  do p++;
  while (p < end && (load<u8>(p) & 0xc0) == 0x80);
  return p;
}

/** Returns true if all of [p, end) matches the pattern: `*` is any text, `?` one character. */
function matches(p: usize, end: usize, pattern: usize, patternEnd: usize): bool {
  let q = pattern;
  // The position after the last `*`, and the current end of the text that it covers.
  let resume: usize = 0;
  let covered: usize = 0;
  while (p < end) {
    const wanted = q < patternEnd ? <u32>load<u8>(q) : 0x100;
    if (wanted == 0x2a) {
      resume = ++q;
      covered = p;
    } else if (wanted == 0x3f) {
      q++;
      p = afterCharacter(p, end);
    } else if (wanted == <u32>load<u8>(p)) {
      q++;
      p++;
    } else if (resume != 0) {
      q = resume;
      p = ++covered;
    } else {
      return false;
    }
  }
  while (q < patternEnd && load<u8>(q) == 0x2a) q++;
  return q == patternEnd;
}

function matchesAny(p: usize, end: usize, patterns: usize, patternsEnd: usize): bool {
  for (let pair = patterns; pair < patternsEnd; pair += 8) {
    const pattern = <usize>load<u32>(pair);
    if (matches(p, end, pattern, pattern + <usize>load<u32>(pair, 4))) return true;
  }
  return false;
}

function judge(filter: Filter, start: usize, end: usize): bool {
  if (matchesAny(start, end, filter.excludes, filter.excludesEnd)) return true;
  if (filter.includes == filter.includesEnd) return false;
  return !matchesAny(start, end, filter.includes, filter.includesEnd);
}

function isOut(filter: Filter, start: usize, length: usize): bool {
  const hash = hashOf(start, start + length);
  let index = hash & filter.slotMask;
  while (true) {
    const slot = changetype<Slot>(filter.slots + <usize>index * SLOT_BYTES);
    if (slot.start == 0) {
      const verdict = judge(filter, start, start + length);
      // There is no room to keep it.
      if (filter.slotsLeft == 0 || filter.namesEnd - filter.names < length) return verdict;
      memory.copy(filter.names, start, length);
      slot.hash = hash;
      slot.start = filter.names;
      slot.length = length;
      slot.isOut = verdict;
      filter.names += length;
      filter.slotsLeft--;
      return verdict;
    }
    if (
      slot.hash == hash &&
      slot.length == length &&
      memory.compare(slot.start, start, length) == 0
    ) {
      return slot.isOut != 0;
    }
    index = (index + 1) & filter.slotMask;
  }
}

/** Marks the rows whose name is filtered. Null has no text: only the pattern `*` matches it. */
export function filterEvents(filter: Filter, outcomes: usize, name: Column, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    const length = name.kind(row) == KIND_NULL ? <usize>0 : name.length(row);
    if (isOut(filter, name.start(row), length)) store<u8>(outcomes + row, FILTERED);
  }
}
