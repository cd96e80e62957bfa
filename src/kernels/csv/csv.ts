// Finds the records of RFC 4180 text and their cells. Reads may run up to 32 bytes past `end`,
// which every allocation allows; bytes there never affect the result.

import { INVALID_UTF8, MALFORMED_ROW, RAGGED_ROW, ROW_TOO_LONG } from "../reject-codes";
import { validateUtf8 } from "../utf8";
import { scanBackslashCells, skipBlankLines } from "./csv-backslash";
import {
  cellLength, cellStart, closeDoubled, closeEscaped, scratch, see, seen, writeTextsTo,
} from "./csv-quotes";
import {
  AFTER_CLOSING_QUOTE, AT_LINE_END, AT_STOP, AT_STOP_IN_QUOTES, CARRIAGE_RETURN, cellCount, endCells,
  isWanted, LINE_FEED, RecordScan, rowEnd, setCell,
} from "./csv-scan";

// The same numbers as `scanStates` in src/readers/csv/record-scanner.ts.
/** Every row that begins before `rowsEnd` was returned, or there is no room for more. */
const STATE_DONE: i32 = 0;
/** The row at `cursor` continues after `end`. */
const STATE_CUT: i32 = 1;
/** The last row is too long and its line continues after `end`: the rest of it must be skipped. */
const STATE_IN_LONG_ROW: i32 = 2;

/** Returns the address of the first LF, or CR unless `feedsOnly`, in [p, end), or `end`. */
export function findLineEnd(p: usize, end: usize, feedsOnly: bool): usize {
  const feeds = i8x16.splat(<i8>LINE_FEED);
  const returns = feedsOnly ? feeds : i8x16.splat(<i8>CARRIAGE_RETURN);
  for (; p < end; p += 16) {
    const v = v128.load(p);
    const hits = i8x16.bitmask(v128.or(i8x16.eq(v, feeds), i8x16.eq(v, returns)));
    if (hits != 0) return min(p + <usize>ctz(hits), end);
  }
  return end;
}

/** Stores the quoted cell that opens at `p`; returns the address of its closing quote, or 0. */
@inline
function scanQuoted(scan: RecordScan, p: usize, stop: usize, row: i32, cell: u32): usize {
  const wanted = isWanted(scan, cell);
  const close =
    scan.escape > 0xff
      ? closeDoubled(p + 1, stop, scan.quote, wanted)
      : closeEscaped(p + 1, stop, scan.quote, scan.escape);
  if (close != 0 && wanted) setCell(scan.columns, min(cell, scan.cells), row, cellStart, cellLength);
  return close;
}

/** Stores the cells of the row at `p` up to its end or `stop`; returns how the row ends. */
function scanCells(scan: RecordScan, p: usize, stop: usize, row: i32): i32 {
  const columns = scan.columns;
  const cells = scan.cells;
  const delimiter = scan.delimiter;
  const quote = scan.quote;
  const delimiters = i8x16.splat(<i8>delimiter);
  const feeds = i8x16.splat(<i8>LINE_FEED);
  const returns = i8x16.splat(<i8>CARRIAGE_RETURN);
  let cell: u32 = 0;
  while (true) {
    if (p < stop && load<u8>(p) == quote) {
      const close = scanQuoted(scan, p, stop, row, cell);
      endCells(cell + 1, stop);
      if (close == 0) return AT_STOP_IN_QUOTES;
      p = close + 1;
      if (p >= stop) return AT_STOP;
      const c = <u32>load<u8>(p);
      if (c == delimiter) {
        cell++;
        p++;
        continue;
      }
      endCells(cell + 1, p);
      return c == LINE_FEED || c == CARRIAGE_RETURN ? AT_LINE_END : AFTER_CLOSING_QUOTE;
    }
    // Unquoted cells, as many as there are in a row.
    let base = p;
    let any = seen;
    while (true) {
      const v = v128.load(base);
      any = v128.or(any, v);
      let hits: u32 = i8x16.bitmask(
        v128.or(i8x16.eq(v, delimiters), v128.or(i8x16.eq(v, feeds), i8x16.eq(v, returns))),
      );
      let quoted = false;
      while (hits != 0) {
        const at = base + <usize>ctz(hits);
        if (at >= stop) break;
        setCell(columns, min(cell, cells), row, p, at - p);
        cell++;
        if (load<u8>(at) != delimiter) {
          see(any);
          endCells(cell, at);
          return AT_LINE_END;
        }
        p = at + 1;
        if (load<u8>(p) == quote) {
          quoted = true;
          break;
        }
        hits &= hits - 1;
      }
      if (quoted) break;
      base += 16;
      if (base >= stop) {
        see(any);
        setCell(columns, min(cell, cells), row, p, stop - p);
        endCells(cell + 1, stop);
        return AT_STOP;
      }
    }
    see(any);
  }
}

function clearCells(scan: RecordScan, row: i32): void {
  for (let cell: u32 = 0; cell < scan.cells; cell++) setCell(scan.columns, cell, row, 0, 0);
}

@inline
function finishRow(scan: RecordScan, start: usize, end: usize, fault: u32, ending: i32): void {
  const row = <usize>scan.rows;
  store<u32>(scan.starts + (row << 2), <u32>start);
  store<u32>(scan.lengths + (row << 2), <u32>(end - start));
  store<u8>(scan.faults + row, <u8>fault);
  store<u32>(scan.cellCounts + (row << 2), cellCount);
  store<u8>(scan.endings + row, <u8>ending);
  if (fault != 0) clearCells(scan, scan.rows);
  scan.rows++;
}

/** Returns true at a line of `\.` alone, with which PostgreSQL ends the data of COPY in a dump. */
@inline
function isEndOfData(scan: RecordScan, p: usize): bool {
  const rest = scan.end - p;
  if (scan.cells == 1 || rest < 2 || load<u16>(p) != 0x2e5c) return false;
  if (rest == 2) return scan.final != 0;
  const next = load<u8>(p + 2);
  return next == LINE_FEED || (next == CARRIAGE_RETURN && rest > 3 && load<u8>(p + 3) == LINE_FEED);
}

/**
 * Returns the rows that begin in [cursor, rowsEnd). A malformed, unclosed or too long record ends
 * with its first line, however far it seemed to reach; the following lines are rows again. Blank
 * lines and comments are not rows.
 */
export function scanRecords(address: usize): i32 {
  const scan = changetype<RecordScan>(address);
  const end = scan.end;
  const rowBytesMax = <usize>scan.rowBytesMax;
  const feedsOnly = scan.backslashes != 0;
  writeTextsTo(scan.scratch);
  scan.rows = 0;
  let p = scan.cursor;
  while (scan.rows < scan.rowsMax) {
    if (feedsOnly) p = skipBlankLines(p, end, scan.final != 0);
    else while (p < end && (load<u8>(p) == LINE_FEED || load<u8>(p) == CARRIAGE_RETURN)) p++;
    if (p >= scan.rowsEnd || p >= end) break;
    if (feedsOnly && isEndOfData(scan, p)) {
      p += 2;
      continue;
    }
    const tooLong = end - p > rowBytesMax;
    if (load<u8>(p) == scan.comment) {
      const commentEnd = findLineEnd(p, tooLong ? p + rowBytesMax : end, feedsOnly);
      const isWhole = commentEnd < end || scan.final != 0;
      if (!isWhole) {
        scan.cursor = p;
        return STATE_CUT;
      }
      // A longer comment is rejected as a row, as it may not fit into the window.
      if (!tooLong || commentEnd < p + rowBytesMax) {
        p = commentEnd;
        continue;
      }
    }
    const stop = tooLong ? p + rowBytesMax + 1 : end;
    const kept = scratch;
    see(i8x16.splat(0));
    const ending =
      feedsOnly
        ? scanBackslashCells(scan, p, stop, scan.rows)
        : scanCells(scan, p, stop, scan.rows);
    if (ending == AT_LINE_END || (ending == AT_STOP && !tooLong && scan.final != 0)) {
      let fault: u32 = cellCount == scan.cells ? 0 : RAGGED_ROW;
      if (i8x16.bitmask(seen) != 0 && validateUtf8(p, rowEnd) == 0) fault = INVALID_UTF8;
      finishRow(scan, p, rowEnd, fault, ending);
      p = rowEnd;
      continue;
    }
    writeTextsTo(kept);
    const lineEnd = findLineEnd(p, stop, feedsOnly);
    const open = ending != AFTER_CLOSING_QUOTE;
    if (!tooLong && scan.final == 0 && (open || lineEnd == stop)) {
      scan.cursor = p;
      return STATE_CUT;
    }
    const fault = tooLong && (open || lineEnd == stop) ? ROW_TOO_LONG : MALFORMED_ROW;
    finishRow(scan, p, lineEnd, fault, ending);
    p = lineEnd;
    if (tooLong && lineEnd == stop) {
      scan.cursor = stop;
      return STATE_IN_LONG_ROW;
    }
  }
  scan.cursor = p;
  return STATE_DONE;
}
