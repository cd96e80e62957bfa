// Finds the rows in a window of JSON bytes: one value a line (NDJSON), or consecutive values with
// any line breaks, possibly the elements of one array.

import { scanObject, setScratch } from "./json-fields";
import { skipValue } from "./json-nested";
import { Node, clearRow, clearRows } from "./json-node";
import { faultAt, lineFeed, resetLineFeed, skipSpace, tooDeep } from "./json-value";
import {
  INVALID_UTF8, MALFORMED_ROW, ROW_NOT_OBJECT, ROW_TOO_DEEP, ROW_TOO_LONG,
} from "../reject-codes";
import { validateUtf8 } from "../utf8";

/** The input and output of a scan; laid out by src/readers/json/row-scanner.ts. */
@unmanaged
class RowScan {
  /** In: the position to continue at. Out: the first byte that is not consumed. */
  cursor: usize;
  end: usize;
  /** 1 if there is no data after `end`. */
  final: u32;
  rowsMax: i32;
  /** Out: the number of rows. */
  rows: i32;
  root: usize;
  /** Out: u32 addresses, u32 lengths, u8 faults, u32 address of the fault; one each per row. */
  starts: usize;
  lengths: usize;
  faults: usize;
  faultPositions: usize;
  scratch: usize;
  kept: usize;
  /** In and out, values only: one of the states below. */
  inArray: u32;
  /** In and out, skipLongRow only. */
  depth: i32;
  inString: u32;
  /** Longer rows are a fault. */
  rowBytesMax: u32;
  /** In and out: rows whose cells the previous scan may have written. */
  used: i32;
  /** In and out, values only: commas since the last row or bracket, and how many belong there. */
  commas: u32;
  commasWanted: u32;
  /** Out, values only: gaps between rows with other commas, and the address after the first. */
  commaFaults: u32;
  commaFaultPosition: usize;
  /** Out: byte order marks before rows, which joined files have. */
  marks: u32;
}

/** Next to a malformed row, commas may be part of it: they are not checked. */
const ANY_COMMAS: u32 = 2;

/** Between values outside of any array. */
const OUTSIDE: u32 = 0;
const IN_ARRAY: u32 = 1;
/** In the array of rows that is a member of an object. */
const IN_WRAPPED_ARRAY: u32 = 2;
/** After that array: no rows follow. */
const AFTER_WRAPPED_ARRAY: u32 = 3;

/** A fault this close to the end of the data may be only the end of the data. */
const CUT_BYTES: usize = 8;

@inline
function finishRow(scan: RowScan, start: usize, end: usize, fault: u8, faultPosition: usize): void {
  const row = scan.rows;
  if (end - start > <usize>scan.rowBytesMax) fault = ROW_TOO_LONG;
  store<u32>(scan.starts + (<usize>row << 2), <u32>start);
  store<u32>(scan.lengths + (<usize>row << 2), <u32>(end - start));
  store<u8>(scan.faults + <usize>row, fault);
  if (fault != 0) {
    clearRow(changetype<Node>(scan.root), row);
    store<u32>(scan.faultPositions + (<usize>row << 2), <u32>faultPosition);
  }
  scan.rows = row + 1;
}

@inline
function begin(scan: RowScan): void {
  scan.rows = 0;
  scan.marks = 0;
  // Not all rows: that would cost a scan of a few rows 160 KB of memory.
  clearRows(changetype<Node>(scan.root), scan.used);
  setScratch(scan.scratch, scan.kept);
}

/** Ends a scan; the next one continues at `p`. A row that was cut off has cells, too. */
@inline
function finish(scan: RowScan, p: usize): void {
  scan.cursor = p;
  scan.used = min(scan.rows + 1, scan.rowsMax);
}

/** Returns the address of the next line feed in [p, end), or `end`. */
function findLineFeed(p: usize, end: usize): usize {
  const feed = i8x16.splat(0x0a);
  for (; p < end; p += 16) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(p), feed));
    if (hits != 0) return min(p + <usize>ctz(hits), end);
  }
  return end;
}

/**
 * Scans NDJSON. [cursor, end) holds whole lines (the last one may lack its line feed if `final`).
 * Blank lines are not rows. Each other line is one row, good or bad; objects that share a line are
 * one row each.
 */
export function scanLines(address: usize): void {
  const scan = changetype<RowScan>(address);
  const root = changetype<Node>(scan.root);
  const end = scan.end;
  let p = scan.cursor;
  begin(scan);
  while (scan.rows < scan.rowsMax) {
    p = skipSpace(p, end);
    if (p >= end) break;
    const start = p;
    let fault: u8 = 0;
    if (load<u8>(p) == 0x7b) {
      resetLineFeed();
      p = scanObject(p, end, root, scan.rows, 0);
      if (p != 0 && !lineFeed) {
        const after = p;
        // Most lines end right here; otherwise white space or another object may follow.
        if (p < end && load<u8>(p) != 0x0a) {
          p = skipSpace(p, end);
          if (p < end && !lineFeed && load<u8>(p) != 0x7b) fault = MALFORMED_ROW;
        }
        if (fault == 0) {
          fault = validateUtf8(start, after) != 0 ? 0 : INVALID_UTF8;
          finishRow(scan, start, after, fault, start);
          continue;
        }
      } else {
        fault = p == 0 && tooDeep ? ROW_TOO_DEEP : MALFORMED_ROW;
        if (p != 0) p = findLineFeed(start, end);
      }
    } else if (isMark(p, end)) {
      scan.marks++;
      p += 3;
      continue;
    } else {
      const after = skipValue(p, end);
      const lineEnd = findLineFeed(start, end);
      fault =
        after != 0 && after <= lineEnd && skipSpace(after, lineEnd) == lineEnd
          ? ROW_NOT_OBJECT
          : tooDeep && after == 0 ? ROW_TOO_DEEP : MALFORMED_ROW;
      p = start;
    }
    const faultPosition = p == 0 ? faultAt : p;
    const lineEnd = findLineFeed(start, end);
    finishRow(scan, start, trimEnd(start, lineEnd), fault, min(faultPosition, lineEnd));
    p = lineEnd;
  }
  finish(scan, p);
}

/** Returns whether a byte order mark is at `p`. */
@inline
function isMark(p: usize, end: usize): bool {
  return load<u8>(p) == 0xef && p + 3 <= end && load<u16>(p, 1) == 0xbfbb;
}

@inline
function trimEnd(start: usize, end: usize): usize {
  while (end > start && load<u8>(end - 1) <= 0x20) end--;
  return end;
}

/**
 * Scans consecutive values with white space, or as elements of an array. Stops before a value that
 * [cursor, end) may have cut off, unless `final`.
 */
export function scanValues(address: usize): void {
  const scan = changetype<RowScan>(address);
  const root = changetype<Node>(scan.root);
  const end = scan.end;
  let p = scan.cursor;
  begin(scan);
  scan.commaFaults = 0;
  while (scan.rows < scan.rowsMax) {
    p = skipSeparators(p, scan);
    if (p >= end || scan.inArray == AFTER_WRAPPED_ARRAY) break;
    const start = p;
    const first = load<u8>(p);
    p = first == 0x7b ? scanObject(p, end, root, scan.rows, 0) : skipValue(p, end);
    let fault: u8 = first == 0x7b ? 0 : ROW_NOT_OBJECT;
    let faultPosition = start;
    if (p == 0) {
      faultPosition = faultAt;
      fault = tooDeep ? ROW_TOO_DEEP : MALFORMED_ROW;
      p = faultAt + CUT_BYTES > end && scan.final == 0 ? 0 : findRowEnd(start, scan);
    } else if (p == end && first != 0x7b && first != 0x5b && first != 0x22 && scan.final == 0) {
      p = 0;
    }
    if (p == 0) {
      p = start;
      break;
    }
    // Not before the row is whole: a row that is cut off is scanned again.
    if (fault == MALFORMED_ROW || fault == ROW_TOO_DEEP) scan.commasWanted = ANY_COMMAS;
    else checkCommas(scan, start, 1);
    scan.commas = 0;
    if (fault == 0 && validateUtf8(start, p) == 0) fault = INVALID_UTF8;
    finishRow(scan, start, fault == 0 ? p : trimEnd(start, p), fault, faultPosition);
  }
  finish(scan, p);
}

/** Counts a gap that ends at `p` with too many or too few commas; `next` belong into the next one. */
@inline
function checkCommas(scan: RowScan, p: usize, next: u32): void {
  if (scan.inArray != OUTSIDE && scan.commasWanted != ANY_COMMAS && scan.commas != scan.commasWanted) {
    if (scan.commaFaults == 0) scan.commaFaultPosition = p;
    scan.commaFaults++;
  }
  scan.commasWanted = next;
}

/** Skips white space, byte order marks, commas between elements, and brackets around them. */
function skipSeparators(p: usize, scan: RowScan): usize {
  const end = scan.end;
  while (scan.inArray != AFTER_WRAPPED_ARRAY) {
    p = skipSpace(p, end);
    if (p >= end) return p;
    const c = load<u8>(p);
    if (c == 0xef && isMark(p, end)) {
      scan.marks++;
      p += 2;
    } else if (scan.inArray != OUTSIDE) {
      if (c == 0x5d) {
        // No comma belongs between the last row and the bracket.
        if (scan.commasWanted == 1) scan.commasWanted = 0;
        checkCommas(scan, p, 0);
        scan.inArray = scan.inArray == IN_ARRAY ? OUTSIDE : AFTER_WRAPPED_ARRAY;
      } else if (c == 0x2c) {
        scan.commas++;
      } else {
        return p;
      }
    } else {
      if (c != 0x5b) return p;
      scan.inArray = IN_ARRAY;
      scan.commas = 0;
      scan.commasWanted = 0;
    }
    p++;
  }
  return p;
}

/**
 * Returns the end of a malformed row: after its closing bracket if its brackets match, or before a
 * line with the indentation of the row's own line that opens an object, whichever comes first. 0 if
 * the data end before that and more may follow.
 */
function findRowEnd(start: usize, scan: RowScan): usize {
  const end = scan.end;
  const indent = indentBefore(start);
  let depth = 0;
  let inString = false;
  for (let p = start; p < end; p++) {
    const c = load<u8>(p);
    if (c == 0x0a) {
      inString = false;
      if (depth == 0) return p;
      if (indent != usize.MAX_VALUE && beginsRow(p + 1, end, start, indent)) return p;
    } else if (inString) {
      if (c == 0x5c) p++;
      else if (c == 0x22) inString = false;
    } else if (c == 0x22) {
      inString = true;
    } else if (c == 0x7b || c == 0x5b) {
      if (depth == 0 && p > start) return p;
      depth++;
    } else if (c == 0x7d || c == 0x5d) {
      depth--;
      if (depth < 0) return p > start ? p : p + 1;
      if (depth == 0) return p + 1;
    } else if (depth == 0 && c == 0x2c && p > start) {
      return p;
    }
  }
  return scan.final != 0 ? end : 0;
}

/** Returns the white space between the last line feed and `start`; usize.MAX_VALUE if other. */
function indentBefore(start: usize): usize {
  let p = start;
  while (start - p < 256) {
    const c = load<u8>(p - 1);
    if (c == 0x0a) return start - p;
    if (c != 0x20 && c != 0x09) break;
    p--;
  }
  return usize.MAX_VALUE;
}

function beginsRow(p: usize, end: usize, start: usize, indent: usize): bool {
  if (p + indent >= end) return false;
  return (
    memory.compare(p, start - indent, indent) == 0 && load<u8>(p + indent) == load<u8>(start)
  );
}

/**
 * Skips (the rest of) a row that is too long to parse: brackets are counted, nothing is checked.
 * `depth` and `inString` carry over from window to window. Returns 1 if the row has ended.
 */
export function skipLongRow(address: usize): i32 {
  const scan = changetype<RowScan>(address);
  const end = scan.end;
  let p = scan.cursor;
  while (p < end) {
    const c = load<u8>(p);
    if (scan.inString != 0) {
      if (c == 0x5c) {
        if (p + 1 >= end && scan.final == 0) break;
        p++;
      } else if (c == 0x22) {
        scan.inString = 0;
      }
    } else if (c == 0x22) {
      scan.inString = 1;
    } else if (c == 0x7b || c == 0x5b) {
      scan.depth++;
    } else if (c == 0x7d || c == 0x5d) {
      scan.depth--;
    }
    p++;
    if (scan.depth <= 0 && scan.inString == 0) {
      scan.cursor = p;
      return 1;
    }
  }
  scan.cursor = min(p, end);
  return 0;
}
