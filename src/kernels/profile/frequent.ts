// The most frequent of many texts in bounded memory (Misra and Gries 1982): a text that does not
// fit subtracts the rows of the rarest one from all. A text's count is never too large, and too
// small by at most `taken`. While `taken` is 0, counts are exact and every text has one.
//
//   entries  │ hash │ rows │ length │ first 64 bytes │ hash │ …          `entryBytes` each
//   index    │ 0 │ 2 │ 0 │ 1 │ …                                         u16, found by the hash
//
// A text is identified by its hash alone, all 53 bits of it: two in a table of 64 have the same one
// less than once in 10^11 tables.

import { addToRegisters } from "./distinct";
import { copyLoose } from "../utf8";

/** Bytes that are kept of a text, and bits of the registers for distinct ones. */
const TEXT_BYTES: u32 = 64;
const DISTINCT_BITS: u64 = 8;
export const DISTINCT_BYTES: u32 = 256;

/** One text, followed by its first bytes. */
@unmanaged
class TextEntry {
  hash: u64;
  rows: u32;
  /** Bytes of the whole text. */
  length: u32;
  /** Bits of what the text contains; the caller sets them while there are no rows. */
  contents: u32;
  unused: u32;
}

const ENTRY_HEAD: u32 = 24;

/** The remaining memory for tables that grow. */
@unmanaged
export class Arena {
  next: u32;
  end: u32;
}

/** `index` has two slots (u16) for each possible entry; a slot holds an entry's index plus one. */
@unmanaged
export class Frequent {
  entries: u32;
  index: u32;
  count: u32;
  /** A power of two. */
  max: u32;
  entryBytes: u32;
  /** Upper bound of the rows that were subtracted from a text. */
  taken: u32;
  /** Registers of all distinct texts, used once rows are subtracted. */
  registers: u32;
}

@inline
function entryAt(table: Frequent, index: u32): TextEntry {
  return changetype<TextEntry>(<usize>table.entries + <usize>index * table.entryBytes);
}

/** Bytes of a table's entries and index. */
export function tableBytes(max: u32, entryBytes: u32): u32 {
  return max * entryBytes + max * 4;
}

/** Points an empty table at `tableBytes` bytes. */
export function initTable(table: Frequent, address: u32, max: u32, entryBytes: u32): void {
  table.entries = address;
  table.index = address + max * entryBytes;
  table.count = 0;
  table.max = max;
  table.entryBytes = entryBytes;
  table.taken = 0;
  memory.fill(table.index, 0, max << 2);
}

@inline
function enter(table: Frequent, hash: u64, index: u32): void {
  const mask = table.max * 2 - 1;
  let probe = <u32>(hash >> 24) & mask;
  while (load<u16>(<usize>table.index + ((<usize>probe) << 1)) != 0) probe = (probe + 1) & mask;
  store<u16>(<usize>table.index + ((<usize>probe) << 1), <u16>(index + 1));
}

function rebuild(table: Frequent): void {
  memory.fill(table.index, 0, (<usize>table.max) << 2);
  for (let index: u32 = 0; index < table.count; index++) {
    enter(table, entryAt(table, index).hash, index);
  }
}

/** Subtracts the rows of the rarest text from all, and removes those that have none left. */
function makeRoom(table: Frequent): void {
  const isFirst = table.taken == 0;
  let least = u32.MAX_VALUE;
  for (let index: u32 = 0; index < table.count; index++) {
    const entry = entryAt(table, index);
    if (isFirst) addToRegisters(table.registers, DISTINCT_BITS, entry.hash);
    least = min(least, entry.rows);
  }
  let kept: u32 = 0;
  for (let index: u32 = 0; index < table.count; index++) {
    const entry = entryAt(table, index);
    if (entry.rows == least) continue;
    entry.rows -= least;
    if (kept != index) {
      memory.copy(changetype<usize>(entryAt(table, kept)), changetype<usize>(entry), table.entryBytes);
    }
    kept++;
  }
  table.count = kept;
  table.taken += least;
  rebuild(table);
}

/** Gives the table room for `max` entries; false if the arena has no room. */
export function growTable(table: Frequent, max: u32, arena: Arena): bool {
  const bytes = tableBytes(max, table.entryBytes);
  if (arena.end - arena.next < bytes) return false;
  const entries = arena.next;
  arena.next += bytes;
  memory.copy(entries, table.entries, table.count * table.entryBytes);
  table.entries = entries;
  table.index = entries + max * table.entryBytes;
  table.max = max;
  rebuild(table);
  return true;
}

/** Returns the entry of a text, added with no rows if new. `hash` is its `spreadHash`. */
@inline
export function findEntry(table: Frequent, start: usize, length: u32, hash: u64): TextEntry {
  const mask = table.max * 2 - 1;
  let probe = <u32>(hash >> 24) & mask;
  let slot = <u32>load<u16>(<usize>table.index + ((<usize>probe) << 1));
  while (slot != 0) {
    const entry = entryAt(table, slot - 1);
    if (entry.hash == hash) return entry;
    probe = (probe + 1) & mask;
    slot = <u32>load<u16>(<usize>table.index + ((<usize>probe) << 1));
  }
  return addEntry(table, start, length, hash);
}

function addEntry(table: Frequent, start: usize, length: u32, hash: u64): TextEntry {
  if (table.count == table.max) makeRoom(table);
  if (table.taken != 0) addToRegisters(table.registers, DISTINCT_BITS, hash);
  const index = table.count++;
  const entry = entryAt(table, index);
  entry.hash = hash;
  entry.rows = 0;
  entry.length = length;
  entry.contents = 0;
  const text = changetype<usize>(entry) + ENTRY_HEAD;
  // In steps of 16; the entry has room for four.
  copyLoose(text, start, min(length, TEXT_BYTES));
  enter(table, hash, index);
  return entry;
}
