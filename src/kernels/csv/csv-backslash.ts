// Finds the cells of dialects in which a backslash escapes any character, inside quotes and outside:
// a delimiter, a line end, a quote, itself. Letters stand for control characters, as in `\n`. The
// unquoted or quoted text `\N` is null. Only a line feed ends a row, because some writers leave carriage
// returns as they are. Reads may run past `stop` as in csv.ts.

import { before, scratch, see, seen, writeTextsTo } from "./csv-quotes";
import {
  AFTER_CLOSING_QUOTE, AT_LINE_END, AT_STOP, AT_STOP_IN_QUOTES, CARRIAGE_RETURN, endCells, isWanted,
  LINE_FEED, RecordScan, setCell,
} from "./csv-scan";

const BACKSLASH: u32 = 0x5c;
/** `\N` as a u16. */
const NULL_TEXT: u32 = 0x4e5c;
/** `scan.backslashes` if a CR before the LF is part of the line end. */
const CR_LF: u32 = 2;

/** Skips LF, CR LF and a CR that ends the source; any other CR is text. */
export function skipBlankLines(p: usize, end: usize, final: bool): usize {
  while (p < end) {
    const c = <u32>load<u8>(p);
    const isPair = c == CARRIAGE_RETURN && (p + 1 == end ? final : load<u8>(p, 1) == LINE_FEED);
    if (c != LINE_FEED && !isPair) break;
    p++;
  }
  return p;
}

/** Returns the first of two characters or a backslash in [p, stop), or `stop`. */
@inline
function findMark(p: usize, stop: usize, one: v128, other: v128): usize {
  const backslashes = i8x16.splat(<i8>BACKSLASH);
  let any = seen;
  let found = stop;
  for (; p < stop; p += 16) {
    const v = v128.load(p);
    any = v128.or(any, v);
    const marks = v128.or(i8x16.eq(v, one), v128.or(i8x16.eq(v, other), i8x16.eq(v, backslashes)));
    const hits = before(stop, p, i8x16.bitmask(marks));
    if (hits == 0) continue;
    found = p + <usize>ctz(hits);
    break;
  }
  see(any);
  return found;
}

/** Returns the character that is meant by a backslash before `c`. */
@inline
function meaningOf(c: u32): u32 {
  if (c == 0x6e) return 0x0a; // n
  if (c == 0x74) return 0x09; // t
  if (c == 0x72) return 0x0d; // r
  if (c == 0x30) return 0x00; // 0
  if (c == 0x62) return 0x08; // b
  if (c == 0x66) return 0x0c; // f
  return c == 0x76 ? 0x0b : c; // v
}

/** Writes the text of [p, end) without escapes to the scratch; returns the address after it. */
function unescape(p: usize, end: usize): usize {
  const backslashes = i8x16.splat(<i8>BACKSLASH);
  let t = scratch;
  while (p < end) {
    const v = v128.load(p);
    v128.store(t, v);
    const hits = before(end, p, i8x16.bitmask(i8x16.eq(v, backslashes)));
    const plain = hits != 0 ? <usize>ctz(hits) : min<usize>(16, end - p);
    p += plain;
    t += plain;
    if (hits == 0) continue;
    // A backslash at the end of the data is text.
    const escaped = p + 1 < end ? meaningOf(<u32>load<u8>(p, 1)) : BACKSLASH;
    store<u8>(t++, <u8>escaped);
    p += 2;
  }
  return t;
}

@inline
function storeCell(
  scan: RecordScan, cell: u32, row: i32, start: usize, end: usize, escaped: bool,
): void {
  const slot = min(cell, scan.cells);
  if (!escaped) {
    setCell(scan.columns, slot, row, start, end - start);
  } else if (end - start == 2 && <u32>load<u16>(start) == NULL_TEXT) {
    setCell(scan.columns, slot, row, start, 0);
  } else if (isWanted(scan, cell)) {
    const text = scratch;
    const textEnd = unescape(start, end);
    writeTextsTo(textEnd);
    setCell(scan.columns, slot, row, text, textEnd - text);
  }
}

/** Stores the cells of the row at `p` up to its end or `stop`; returns how the row ends. */
export function scanBackslashCells(scan: RecordScan, p: usize, stop: usize, row: i32): i32 {
  const delimiter = scan.delimiter;
  const quote = scan.quote;
  const delimiters = i8x16.splat(<i8>delimiter);
  const feeds = i8x16.splat(<i8>LINE_FEED);
  const quotes = i8x16.splat(<i8>quote);
  let cell: u32 = 0;
  while (true) {
    const isQuoted = p < stop && <u32>load<u8>(p) == quote;
    const start = isQuoted ? p + 1 : p;
    let at = start;
    // The address after the last escaped character.
    let escapedEnd: usize = 0;
    while (true) {
      at = isQuoted ? findMark(at, stop, quotes, quotes) : findMark(at, stop, delimiters, feeds);
      if (at >= stop || <u32>load<u8>(at) != BACKSLASH) break;
      at += 2;
      escapedEnd = at;
    }
    const escaped = escapedEnd != 0;
    if (at >= stop) {
      endCells(cell + 1, stop);
      if (isQuoted) return AT_STOP_IN_QUOTES;
      storeCell(scan, cell, row, start, stop, escaped);
      return AT_STOP;
    }
    if (isQuoted) {
      storeCell(scan, cell, row, start, at, escaped);
      at++;
      endCells(cell + 1, at);
      if (at >= stop) return AT_STOP;
      const isPair = at + 1 < stop && load<u8>(at) == CARRIAGE_RETURN && load<u8>(at, 1) == LINE_FEED;
      if (load<u8>(at) == LINE_FEED || isPair) return AT_LINE_END;
      if (<u32>load<u8>(at) != delimiter) {
        // The next byte decides.
        const isCut = at + 1 == stop && load<u8>(at) == CARRIAGE_RETURN;
        return isCut ? AT_STOP : AFTER_CLOSING_QUOTE;
      }
    } else if (load<u8>(at) == LINE_FEED) {
      const hasReturn =
        scan.backslashes == CR_LF && at > start && at != escapedEnd &&
        load<u8>(at - 1) == CARRIAGE_RETURN;
      const end = hasReturn ? at - 1 : at;
      storeCell(scan, cell, row, start, end, escaped);
      endCells(cell + 1, end);
      return AT_LINE_END;
    } else {
      storeCell(scan, cell, row, start, at, escaped);
    }
    cell++;
    p = at + 1;
  }
}
