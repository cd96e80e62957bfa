// The requested fields of JSON rows as a tree, built by src/batch/field-table.ts. For the paths
// `a`, `b` and `b.c` the root is a node with the entries `a` and `b`. Both have columns; `b` also
// has a child, a node with the entry `c`.

import { Column, KIND_NULL } from "../column";

/** The wanted members of one object. */
@unmanaged
export class Node {
  /** Bit n: some wanted key has n bytes; bit 63: some has 63 or more. */
  keyLengths: u64;
  /** Array of `NodeEntry`, in place. */
  entries: usize;
  entryCount: u32;
  /** Column for the remaining members of the object, or 0. */
  rest: usize;
  /** Addresses (u32) of all columns at and below this node, to be cleared together. */
  columns: usize;
  columnCount: u32;
  /** `ShapeMember`s: the members of the previous object. */
  shape: usize;
}

/** A wanted key. */
@unmanaged
export class NodeEntry {
  /** The first eight bytes of the key, zero-padded. */
  prefix: u64;
  key: usize;
  keyLength: u32;
  /** Columns for the decoded value and the raw token, or 0. */
  text: usize;
  json: usize;
  /** Node for the value's own members, or 0. */
  child: usize;
  /** 1 if the member is excluded from the object's rest. */
  excepted: u32;
}

const ENTRY_BYTES: usize = offsetof<NodeEntry>();

/** Returns the address of the entry of the key of `length` bytes at `key`; 0 if not wanted. */
export function findEntry(node: Node, key: usize, length: usize): usize {
  let prefix = load<u64>(key);
  if (length < 8) prefix &= ((<u64>1) << (length << 3)) - 1;
  let entry = node.entries;
  for (const end = entry + <usize>node.entryCount * ENTRY_BYTES; entry < end; entry += ENTRY_BYTES) {
    const candidate = changetype<NodeEntry>(entry);
    if (candidate.prefix == prefix && candidate.keyLength == <u32>length) {
      if (length <= 8 || memory.compare(candidate.key + 8, key + 8, length - 8) == 0) return entry;
    }
  }
  return 0;
}

/** Returns the column of a wanted key if only the text of its value is wanted; otherwise 0. */
export function textColumn(address: usize): usize {
  if (address == 0) return 0;
  const entry = changetype<NodeEntry>(address);
  return entry.json == 0 && entry.child == 0 ? entry.text : 0;
}

/** Makes every column at and below the node null in this row. */
export function clearRow(node: Node, row: i32): void {
  let p = node.columns;
  for (const end = p + (<usize>node.columnCount << 2); p < end; p += 4) {
    const column = changetype<Column>(<usize>load<u32>(p));
    store<u8>(column.kinds + <usize>row, <u8>KIND_NULL);
  }
}

/** Makes every column at and below the node null in rows [0, rows). */
export function clearRows(node: Node, rows: i32): void {
  let p = node.columns;
  for (const end = p + (<usize>node.columnCount << 2); p < end; p += 4) {
    memory.fill(changetype<Column>(<usize>load<u32>(p)).kinds, <u8>KIND_NULL, <usize>rows);
  }
}
