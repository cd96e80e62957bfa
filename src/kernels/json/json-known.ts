// A separate loop for the members that make up nearly all rows: those that begin as in the row
// before and have a simple value. The walk by member in json-fields.ts gives the same results. This
// loop makes no call, so that all its state stays in registers.

import { Column, KIND_NULL, KIND_NUMBER, KIND_STRING } from "../column";
import { MEMBER_BYTES, ShapeMember, isSame, lastMember } from "./json-shape";
import { plainNumberEnd, stopsIn } from "./json-value";

/** Result of the last `passKnown`: the position of the next member. */
export let nextKnown: usize = 0;

/** `null` as a u32. */
const NULL_TEXT: u32 = 0x6c6c756e;

@inline
function stopAt(member: usize, p: usize): usize {
  nextKnown = member;
  return p;
}

/**
 * Skips members that look like those remembered from `member` on, as long as they are simple: a
 * whole member as it was, a string without escapes, null, a number without exponent. Stores wanted
 * texts in row `row`, or stops at them with `unwantedOnly`. The first member begins at `p`; returns
 * the address after the last. Nothing is stored or noted about the member that stopped it. That
 * member may be malformed or longer than the data.
 *
 * Each condition leaves by its own branch. If one becomes a value, or selects an address, the
 * processor has to wait for it before it can look at the next member.
 */
export function passKnown(
  member: usize, first: usize, p: usize, end: usize, row: i32, unwantedOnly: bool,
): usize {
  const last = lastMember(first);
  for (; member < last; member += MEMBER_BYTES) {
    const seen = changetype<ShapeMember>(member);
    const constant = <usize>seen.constant;
    if (constant != 0) {
      if (p + constant > end) break;
      if (!isSame(seen, p, constant)) break;
      if (seen.misses != 0) seen.holds();
      p += constant - 1;
      continue;
    }
    const length = <usize>seen.length;
    const column = seen.column;
    if (length == 0) break;
    if (column == 0) {
      if (seen.entry != 0) break;
      if (seen.wait == 0) break;
    } else if (unwantedOnly) {
      break;
    }
    if (!isSame(seen, p, length)) break;
    let start = p + length;
    if (start >= end) break;
    let after: usize;
    if (load<u8>(start) == 0x22) {
      after = ++start;
      let stops = stopsIn(v128.load(after));
      while (stops == 0) {
        after += 16;
        if (after >= end) return stopAt(member, p);
        stops = stopsIn(v128.load(after));
      }
      after += <usize>ctz(stops);
      if (after >= end) return stopAt(member, p);
      if (load<u8>(after) != 0x22) return stopAt(member, p);
      if (column != 0) changetype<Column>(column).set(row, KIND_STRING, start, after - start);
      after++;
    } else {
      const isNull = load<u32>(start) == NULL_TEXT;
      after = isNull ? start + 4 : plainNumberEnd(start);
      if (after == 0 || after >= end) break;
      if (column != 0) {
        const kind = isNull ? KIND_NULL : KIND_NUMBER;
        changetype<Column>(column).set(row, kind, start, after - start);
      }
    }
    if (column == 0) seen.wait--;
    p = after;
  }
  return stopAt(member, p);
}
