// The texts that break a rule of a target, and those that replace them. Each text is judged once, by
// TypeScript, and kept: a kernel that meets a text which is not in the table stops at its row, and goes
// on when it has been added (src/mapper/target/rename-table.ts).

import { hex4 } from "../json/json-value";

/** Open addressing, never more than half full. */
@unmanaged
export class RenameTable {
  /** Addresses of entries; 0 is a free slot. */
  slots: usize;
  mask: u32;
}

/** A known text. */
@unmanaged
export class Rename {
  hash: u32;
  start: usize;
  length: usize;
  /** The text that replaces it; of no length if it stays. */
  newStart: usize;
  newLength: usize;
  /** Marks of the rules that it breaks. */
  marks: u32;
  /** Events that have it. */
  rows: u32;
}

function hashOf(start: usize, length: usize): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let p = start; p < start + length; p++) hash = (hash ^ <u32>load<u8>(p)) * 0x01000193;
  return hash ^ (hash >> 15);
}

/** Returns true if both texts have the same bytes. */
@inline
export function isSame(one: usize, other: usize, length: usize): bool {
  for (let at: usize = 0; at < length; at += 16) {
    const equal = <u32>i8x16.bitmask(i8x16.eq(v128.load(one + at), v128.load(other + at)));
    const left = length - at;
    const wanted: u32 = left >= 16 ? 0xffff : (<u32>1 << (<u32>left)) - 1;
    if ((equal & wanted) != wanted) return false;
  }
  return true;
}

/** Returns the entry of a text; 0 if it is not known. */
export function findRename(table: RenameTable, start: usize, length: usize): usize {
  const hash = hashOf(start, length);
  let index = hash & table.mask;
  while (true) {
    const entry = <usize>load<u32>(table.slots + ((<usize>index) << 2));
    if (entry == 0) return 0;
    const known = changetype<Rename>(entry);
    if (known.hash == hash && known.length == length && isSame(known.start, start, length)) {
      return entry;
    }
    index = (index + 1) & table.mask;
  }
}

/** Adds an entry whose text is not known yet. */
export function addRename(table: RenameTable, entry: usize): void {
  const added = changetype<Rename>(entry);
  added.hash = hashOf(added.start, added.length);
  let index = added.hash & table.mask;
  while (load<u32>(table.slots + ((<usize>index) << 2)) != 0) index = (index + 1) & table.mask;
  store<u32>(table.slots + ((<usize>index) << 2), <u32>entry);
}

/** Returns the UTF-16 units of a text in JSON, without its quotes: an escape is one. */
export function unitsOf(start: usize, length: usize): usize {
  let units: usize = 0;
  const end = start + length;
  for (let p = start; p < end; p++) {
    const c = load<u8>(p);
    if (c == 0x5c) {
      p += load<u8>(p, 1) == 0x75 ? 5 : 1;
      units++;
    } else if ((c & 0xc0) != 0x80) {
      units += c >= 0xf0 ? 2 : 1;
    }
  }
  return units;
}

/** Returns the units in which `JSON.stringify` writes the character of an escape, at its backslash. */
function unitsOfEscape(p: usize): usize {
  const kind = load<u8>(p, 1);
  if (kind != 0x75) return kind == 0x2f ? 1 : 2;
  const code = hex4(p + 2);
  if (code < 0x20) return (code >= 0x08 && code <= 0x0a) || code == 0x0c || code == 0x0d ? 2 : 6;
  if (code == 0x22 || code == 0x5c) return 2;
  // A surrogate without its other half stays an escape.
  return code >= 0xd800 && code < 0xe000 ? 6 : 1;
}

/** Returns true for two escapes at `p` that are one character. */
@inline
function isPair(p: usize): bool {
  return load<u16>(p) == 0x755c && (hex4(p + 2) & 0xfc00) == 0xd800 &&
    load<u16>(p, 6) == 0x755c && (hex4(p + 8) & 0xfc00) == 0xdc00;
}

/** Returns the UTF-16 units of JSON as `JSON.stringify` writes it, with numbers as they are. */
export function jsonUnitsOf(start: usize, length: usize): usize {
  let units: usize = 0;
  let isText = false;
  const end = start + length;
  for (let p = start; p < end; p++) {
    const c = load<u8>(p);
    if (!isText && c <= 0x20) continue;
    if (c == 0x22) isText = !isText;
    if (c == 0x5c) {
      const both = isPair(p);
      units += both ? 2 : unitsOfEscape(p);
      p += both ? 11 : load<u8>(p, 1) == 0x75 ? 5 : 1;
    } else if ((c & 0xc0) != 0x80) {
      units += c >= 0xf0 ? 2 : 1;
    }
  }
  return units;
}
