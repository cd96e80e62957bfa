// Extracts the requested fields of JSON objects while checking them strictly: one pass, in place. A
// tree of nodes (json-node.ts) holds the wanted members of each object; everything else is checked
// and skipped.

import {
  Column, KIND_ARRAY, KIND_BOOLEAN, KIND_MALFORMED_STRING, KIND_NULL, KIND_NUMBER, KIND_OBJECT,
  KIND_STRING,
} from "../column";
import {
  escaped, loneSurrogate, markFault, markTooDeep, skipSpace, skipString, skipStringFast, unescape,
} from "./json-value";
import { nextKnown, passKnown } from "./json-known";
import { DEPTH_MAX, skipValueAt } from "./json-nested";
import { NodeEntry, Node, clearRow, clearRows, findEntry, textColumn } from "./json-node";
import {
  ShapeMember, beginsSame, findLater, isConstant, nextMember, noteValue, rememberKey,
} from "./json-shape";
import { copyLoose } from "../utf8";

/** The target of unescaped texts and rests; the host makes it large enough (see FieldTable). */
let scratch: usize = 0;
/** Stack of (start, end) pairs: stretches of members that remain in an object's rest. */
let kept: usize = 0;

/** Sets the memory that scanning writes to; earlier results there are lost. */
export function setScratch(scratchAddress: usize, keptAddress: usize): void {
  scratch = scratchAddress;
  kept = keptAddress;
}

@inline
function findKey(node: Node, key: usize, close: usize): usize {
  let length = close - key;
  if (escaped) {
    // The scratch above its top is free until a text is kept there.
    length = unescape(key, close, scratch);
    if (loneSurrogate) return 0;
    key = scratch;
  }
  if (((node.keyLengths >> min<u64>(length, 63)) & 1) == 0) return 0;
  return findEntry(node, key, length);
}

@inline
function kindOf(first: u32): u32 {
  if (first == 0x22) return KIND_STRING;
  if (first == 0x7b) return KIND_OBJECT;
  if (first == 0x5b) return KIND_ARRAY;
  if (first == 0x6e) return KIND_NULL;
  if (first == 0x74 || first == 0x66) return KIND_BOOLEAN;
  return KIND_NUMBER;
}

/** Stores [p, end) in the node's columns as a separate document; false if it is not one object. */
function scanWhole(p: usize, end: usize, node: Node, row: i32): bool {
  p = skipSpace(p, end);
  if (p >= end || load<u8>(p) != 0x7b) return false;
  const close = scanObject(p, end, node, row, 0);
  return close != 0 && skipSpace(close, end) == end;
}

/**
 * Enters the object that a text holds, directly or as a JSON string. A text without an object has
 * no members and is itself the rest, so that it does not look like an empty object.
 */
function scanText(start: usize, end: usize, node: Node, row: i32): void {
  const p = skipSpace(start, end);
  if (p < end && load<u8>(p) == 0x22) {
    const close = skipString(p + 1, end);
    if (close != 0 && skipSpace(close + 1, end) == end) {
      const text = scratch;
      const length = unescape(p + 1, close, text);
      scratch += length;
      if (!loneSurrogate && scanWhole(text, scratch, node, row)) return;
    }
  } else if (scanWhole(p, end, node, row)) {
    return;
  }
  clearRow(node, row);
  storeNoObject(node, row, KIND_STRING, start, end - start);
}

/** Stores the value itself as the rest, because it is not an object. */
@inline
function storeNoObject(node: Node, row: i32, kind: u32, start: usize, length: usize): void {
  if (node.rest != 0) changetype<Column>(node.rest).set(row, kind, start, length);
}

/** Stores a wanted value after white space; returns the address after it, or 0 if malformed. */
function scanWanted(entry: NodeEntry, p: usize, end: usize, row: i32, depth: i32): usize {
  if (p < end && load<u8>(p) <= 0x20) p = skipSpace(p, end);
  if (p >= end) {
    markFault(end);
    return 0;
  }
  const first = <u32>load<u8>(p);
  if (entry.child != 0) clearRow(changetype<Node>(entry.child), row);
  if (first == 0x22) {
    const close = skipStringFast(p + 1, end);
    if (close == 0) return 0;
    if (entry.json != 0) changetype<Column>(entry.json).set(row, KIND_STRING, p, close + 1 - p);
    let kind = KIND_STRING;
    let start = p + 1;
    let length = close - start;
    if (escaped && (entry.text != 0 || entry.child != 0)) {
      const unescaped = unescape(start, close, scratch);
      if (loneSurrogate) {
        kind = KIND_MALFORMED_STRING;
      } else {
        start = scratch;
        length = unescaped;
        scratch += unescaped;
      }
    }
    if (entry.text != 0) changetype<Column>(entry.text).set(row, kind, start, length);
    if (entry.child != 0) {
      const child = changetype<Node>(entry.child);
      if (kind == KIND_STRING) scanText(start, start + length, child, row);
      else storeNoObject(child, row, kind, start, length);
    }
    return close + 1;
  }
  const entered = entry.child != 0 && first == 0x7b;
  const after = entered
    ? scanObject(p, end, changetype<Node>(entry.child), row, depth)
    : skipValueAt(p, end, depth);
  if (after == 0) return 0;
  const kind = kindOf(first);
  if (entry.child != 0 && !entered) {
    storeNoObject(changetype<Node>(entry.child), row, kind, p, after - p);
  }
  if (entry.text != 0) changetype<Column>(entry.text).set(row, kind, p, after - p);
  if (entry.json != 0) changetype<Column>(entry.json).set(row, kind, p, after - p);
  return after;
}

/** Joins the kept stretches from `frame` on into one object in the scratch. */
function storeRest(column: Column, row: i32, frame: usize): void {
  const start = scratch;
  store<u8>(scratch++, 0x7b);
  for (let pair = frame; pair < kept; pair += 8) {
    if (pair != frame) store<u8>(scratch++, 0x2c);
    const from = <usize>load<u32>(pair);
    scratch = copyLoose(scratch, from, <usize>load<u32>(pair, 4) - from);
  }
  store<u8>(scratch++, 0x7d);
  column.set(row, KIND_OBJECT, start, scratch - start);
  kept = frame;
}

/**
 * Checks the object that begins at `p`, stores its fields that `node` wants in row `row`, and
 * returns the address after it; 0 if it is malformed or too deep. A repeated key overwrites, as in
 * JSON.parse. `depth` levels are open already.
 */
export function scanObject(p: usize, end: usize, node: Node, row: i32, depth: i32): usize {
  if (depth >= DEPTH_MAX) return markTooDeep(p);
  const frame = kept;
  const result = scanMembers(p, end, node, row, depth + 1);
  if (result != 0 && node.rest != 0) storeRest(changetype<Column>(node.rest), row, frame);
  kept = frame;
  return result;
}

/** Skips a value after white space. The common cases, strings and null, come first. */
@inline
function skipUnwanted(p: usize, end: usize, depth: i32): usize {
  if (p < end) {
    const c = load<u8>(p);
    if (c == 0x22) {
      const close = skipStringFast(p + 1, end);
      return close == 0 ? 0 : close + 1;
    }
    // null
    if (load<u32>(p) == 0x6c6c756e && p + 4 <= end) return p + 4;
    if (c <= 0x20) p = skipSpace(p, end);
  }
  return skipValueAt(p, end, depth);
}

/**
 * Number of moved members in one object after which `passKnown` is no longer tried. It would rarely
 * get far, which took 65 ns for rows that lack each third member.
 */
const MOVED_MAX = 3;

/** Set where `readKey` met the object's end; the caller resets it to 0. */
let closingBrace: usize = 0;

/**
 * Reads the key of the member that comes after `before` (the opening brace if `isFirst`, otherwise
 * the end of the previous value). Remembers in `seen` how it looks and which entry it is. Returns
 * the address of its value, or 0: then `closingBrace` is set if the object has ended, and not if it
 * is malformed.
 */
@inline
function readKey(node: Node, seen: ShapeMember, before: usize, end: usize, isFirst: bool): usize {
  let p = skipSpace(before, end);
  if (p >= end) return markFault(end);
  const separator = load<u8>(p);
  if (!isFirst && separator != 0x2c) {
    if (separator != 0x7d) return markFault(p);
    closingBrace = p;
    return 0;
  }
  const key = skipSpace(p + 1, end);
  if (key >= end) return markFault(end);
  if (load<u8>(key) != 0x22) {
    if (!isFirst || load<u8>(key) != 0x7d) return markFault(key);
    closingBrace = key;
    return 0;
  }
  const close = skipStringFast(key + 1, end);
  if (close == 0) return 0;
  const entry = findKey(node, key + 1, close);
  p = skipSpace(close + 1, end);
  if (p >= end || load<u8>(p) != 0x3a) return markFault(min(p, end));
  p = skipSpace(p + 1, end);
  const hasSpace = p - before != close - key + 3;
  rememberKey(seen, before, key, p, entry, textColumn(entry), hasSpace);
  return p;
}

/** Scans from an object's opening brace at `p` to the address after its closing one. */
function scanMembers(p: usize, end: usize, node: Node, row: i32, depth: i32): usize {
  const keepsRest = node.rest != 0;
  const open = p;
  let stretch: usize = 0;
  let stretchEnd: usize = 0;
  let shape = node.shape;
  let moved = 0;
  for (;;) {
    if (moved < MOVED_MAX) {
      const start = p;
      p = passKnown(shape, node.shape, p, end, row, keepsRest);
      if (keepsRest && p != start) {
        if (stretch == 0) stretch = start + <usize>changetype<ShapeMember>(shape).key;
        stretchEnd = p;
      }
      shape = nextKnown;
    }
    // `before` is at the opening brace or after the previous value.
    const before = p;
    let seen = changetype<ShapeMember>(shape);
    let entry: usize = 0;
    if (isConstant(seen, p, end)) {
      p += <usize>seen.constant - 1;
    } else {
      let isKnown = beginsSame(seen, p, end);
      if (!isKnown) {
        if (before != open && p < end && load<u8>(p) == 0x7d) break;
        moved++;
        const later = findLater(shape, node.shape, p, end);
        if (later != 0) {
          isKnown = true;
          shape = later;
          seen = changetype<ShapeMember>(shape);
        }
      }
      if (isKnown) {
        p += <usize>seen.length;
      } else {
        p = readKey(node, seen, before, end, before == open);
        if (p == 0) {
          p = closingBrace;
          closingBrace = 0;
          if (p == 0) return 0;
          break;
        }
      }
      entry = seen.entry;
      if (entry != 0) {
        p = scanWanted(changetype<NodeEntry>(entry), p, end, row, depth);
        if (p == 0) return 0;
      } else {
        p = skipUnwanted(p, end, depth);
        if (p == 0) return 0;
        noteValue(seen, before, p, end);
      }
    }
    shape = nextMember(shape, node.shape);
    if (keepsRest) {
      if (entry == 0 || changetype<NodeEntry>(entry).excepted == 0) {
        if (stretch == 0) stretch = before + <usize>seen.key;
        stretchEnd = p;
      } else if (stretch != 0) {
        pushKept(stretch, stretchEnd);
        stretch = 0;
      }
    }
  }
  if (stretch != 0) pushKept(stretch, stretchEnd);
  return p + 1;
}

@inline
function pushKept(start: usize, end: usize): void {
  store<u32>(kept, <u32>start);
  store<u32>(kept, <u32>end, 4);
  kept += 8;
}

/**
 * Scans each cell of `cells` that holds an object, or a text that is one, into the node's columns.
 * In all other rows the columns become null, except the rest of a value that is not an object.
 */
export function scanCells(cells: Column, rows: i32, node: Node): void {
  clearRows(node, rows);
  for (let row = 0; row < rows; row++) {
    const kind = cells.kind(row);
    if (kind == KIND_NULL) continue;
    const start = cells.start(row);
    const length = cells.length(row);
    if (kind == KIND_STRING || kind == KIND_OBJECT) scanText(start, start + length, node, row);
    else storeNoObject(node, row, kind, start, length);
  }
}
