// Checks and skips values of any kind, including objects and arrays with their contents.

import { noteOutline, outlineOf, passOutline } from "./json-outline";
import { markFault, markTooDeep, skipScalar, skipSpace, skipStringFast } from "./json-value";

// The same number as JSON_DEPTH_MAX in src/base/limits.ts.
export const DEPTH_MAX: i32 = 512;

/** Kinds of the open levels: 1 for an object, 0 for an array. */
const levels: usize = memory.data(512);

/**
 * Checks the value that begins at `p` (no white space before it) and returns the address after it;
 * 0 if it is malformed, cut off by `end` or too deep (`tooDeep`, `faultAt`). `depth` levels are
 * open already.
 */
export function skipValueAt(p: usize, end: usize, depth: i32): usize {
  if (p >= end) return markFault(end);
  const c = load<u8>(p);
  if (c != 0x7b && c != 0x5b) return skipScalar(p, end);
  const outline = outlineOf(p);
  const isKnown = outline.stretches != 0;
  if (isKnown && depth + outline.levels <= DEPTH_MAX) {
    const after = passOutline(outline, p, end);
    if (after != 0) {
      outline.holds();
      return after;
    }
    outline.differs();
  }
  const after = walkNested(p, end, depth);
  if (after != 0 && !isKnown) noteOutline(outline, p, after);
  return after;
}

/** `skipValueAt` with no level open. */
export function skipValue(start: usize, end: usize): usize {
  return skipValueAt(start, end, 0);
}

/** `skipValueAt` for an object or an array, step by step. */
function walkNested(p: usize, end: usize, depth: i32): usize {
  let c = load<u8>(p);
  const floor = depth;
  for (;;) {
    // At the opening bracket of an object or an array.
    if (depth >= DEPTH_MAX) {
      return markTooDeep(p);
    }
    let inObject = c == 0x7b;
    store<u8>(levels + <usize>depth, <u8>inObject);
    depth++;
    p = skipSpace(p + 1, end);
    if (p >= end) break;
    c = load<u8>(p);
    let closed = c == (inObject ? 0x7d : 0x5d);
    let opened = false;
    for (;;) {
      if (closed) {
        p++;
        depth--;
        if (depth == floor) return p;
        inObject = load<u8>(levels + <usize>(depth - 1)) != 0;
      } else {
        // At a member's key or an element.
        if (inObject) {
          if (p >= end || load<u8>(p) != 0x22) break;
          const close = skipStringFast(p + 1, end);
          if (close == 0) return 0;
          p = close + 1;
          if (p < end && load<u8>(p) != 0x3a) p = skipSpace(p, end);
          if (p >= end || load<u8>(p) != 0x3a) break;
          p++;
          if (p < end && load<u8>(p) <= 0x20) p = skipSpace(p, end);
        }
        if (p >= end) break;
        c = load<u8>(p);
        if (c == 0x7b || c == 0x5b) {
          opened = true;
          break;
        }
        p = skipScalar(p, end);
        if (p == 0) return 0;
      }
      // After a value: a comma or the end of an open level.
      if (p < end && load<u8>(p) <= 0x20) p = skipSpace(p, end);
      if (p >= end) break;
      c = load<u8>(p);
      if (c == 0x2c) {
        p++;
        if (p < end && load<u8>(p) <= 0x20) p = skipSpace(p, end);
        closed = false;
      } else if (c == (inObject ? 0x7d : 0x5d)) {
        closed = true;
      } else {
        break;
      }
    }
    if (!opened) break;
  }
  return markFault(p < end ? p : end);
}
