// Finds the records of RFC 4180 text and their cells. Reads may run up to 32 bytes past `end`, which
// every allocation allows; what stands there is never believed.

import { Column, KIND_NULL, KIND_STRING } from "../column";
import { INVALID_UTF8, MALFORMED_ROW, RAGGED_ROW, ROW_TOO_LONG } from "../reject-codes";
import { copyLoose, validateUtf8 } from "../utf8";

// The same numbers as `scanStates` in src/readers/csv/record-scanner.ts.
/** Every row that begins before `rowsEnd` has been given out, or as many as there is room for. */
const STATE_DONE: i32 = 0;
/** The row at `cursor` goes on after `end`. */
const STATE_CUT: i32 = 1;
/** The last row is too long and its line goes on after `end`: what remains of it is to be skipped. */
const STATE_IN_LONG_ROW: i32 = 2;

// How the cells of a row came to their end. The same numbers as `rowEndings` there.
const AT_LINE_END: i32 = 1;
const AT_STOP: i32 = 2;
const AT_STOP_IN_QUOTES: i32 = 3;
const AFTER_CLOSING_QUOTE: i32 = 4;

const LINE_FEED: u32 = 0x0a;
const CARRIAGE_RETURN: u32 = 0x0d;

/** What a scan takes and gives; laid out by src/readers/csv/record-scanner.ts. */
@unmanaged
class Scan {
  /** In: where to go on. Out: the first byte that is not consumed. */
  cursor: usize;
  /** No row begins here or later. */
  rowsEnd: usize;
  end: usize;
  /** 1 when nothing comes after `end`. */
  final: u32;
  rowsMax: i32;
  /** Out. */
  rows: i32;
  delimiter: u32;
  /** 256 where quotes mean nothing. */
  quote: u32;
  /** The character that makes a quote literal; 256 where a doubled quote does. */
  escape: u32;
  /** Cells that a row must have. */
  cells: u32;
  /** For each cell, and for one more, the u32 address of its column or of one that is never read. */
  columns: usize;
  /** Longer rows are a fault. */
  rowBytesMax: u32;
  /**
   * Out, one each per row: u32 addresses, u32 lengths, u8 faults, u32 cells that were read, u8 ways in
   * which the row ended.
   */
  starts: usize;
  lengths: usize;
  faults: usize;
  cellCounts: usize;
  endings: usize;
  /** Room for as many bytes as there are in [cursor, end), and 32 more. */
  scratch: usize;
}

/** For each byte, the positions of its bits that are not set, in order, as indices for a swizzle. */
const keptLanes: usize = memory.data(2048, 16);
let lanesReady: bool = false;

function fillLanes(): void {
  for (let mask: usize = 0; mask < 256; mask++) {
    let target = keptLanes + (mask << 3);
    for (let lane: usize = 0; lane < 8; lane++) {
      if (((mask >> lane) & 1) == 0) store<u8>(target++, <u8>lane);
    }
  }
  lanesReady = true;
}

// What the passes over one quoted cell give beside the address of its closing quote.
let cellStart: usize = 0;
let cellLength: usize = 0;
let scratch: usize = 0;
/** All bytes of the row, or-ed: a set high bit says that its UTF-8 must be checked. */
let seen: v128 = i8x16.splat(0);

/** Bits of `hits` that stand for bytes before `stop`, for a load at `p`. */
@inline
function before(stop: usize, p: usize, hits: u32): u32 {
  return p + 16 > stop ? hits & ((<u32>1 << <u32>(stop - p)) - 1) : hits;
}

/**
 * From the inside of a quoted cell to its closing quote; 0 when there is none before `stop`. A quote
 * right before `stop` is taken for closing. The cell stays where it is unless it has doubled quotes.
 */
function closeDoubled(p: usize, stop: usize, quote: u32, wanted: bool): usize {
  const quotes = i8x16.splat(<i8>quote);
  cellStart = p;
  let any = seen;
  for (; p < stop; p += 16) {
    const v = v128.load(p);
    any = v128.or(any, v);
    const hits = before(stop, p, i8x16.bitmask(i8x16.eq(v, quotes)));
    if (hits == 0) continue;
    p += <usize>ctz(hits);
    seen = any;
    if (p + 1 < stop && load<u8>(p, 1) == quote) {
      return wanted ? unescapeDoubled(p, stop, quote) : skipDoubled(p, stop, quote);
    }
    cellLength = p - cellStart;
    return p;
  }
  seen = any;
  return 0;
}

// Sixteen bytes at a time: quotes come in runs, and in a run they pair from its start. The addition
// carries through a run, so that its end is known for all runs at once; runs are told apart by
// whether they start at an even or an odd place. A run of odd length ends with the closing quote.

@inline
function evenRuns(hits: u32): u32 {
  return hits & ~(hits + (hits & ~(hits << 1) & 0x5555));
}

/** The place after each run of odd length. */
@inline
function oddEnds(hits: u32, even: u32): u32 {
  const odd = hits & ~even;
  const evenEnds = (even << 1) & ~even;
  const oddEnds = (odd << 1) & ~odd;
  return (evenEnds & 0xaaaa) | (oddEnds & 0x15555);
}

/** `closeDoubled` from the first doubled quote on, without keeping the text. */
function skipDoubled(p: usize, stop: usize, quote: u32): usize {
  const quotes = i8x16.splat(<i8>quote);
  let any = seen;
  while (p < stop) {
    const v = v128.load(p);
    any = v128.or(any, v);
    const hits = before(stop, p, i8x16.bitmask(i8x16.eq(v, quotes)));
    const ends = oddEnds(hits, evenRuns(hits));
    if ((ends & 0xffff) != 0) {
      seen = any;
      return p + <usize>ctz(ends) - 1;
    }
    // Of a run that reaches the load's end and is odd so far, the last quote goes into the next load.
    if (ends == 0) p += 16;
    else p += 15;
  }
  seen = any;
  return 0;
}

/** `closeDoubled` from the first doubled quote on; writes the cell's text to the scratch. */
function unescapeDoubled(p: usize, stop: usize, quote: u32): usize {
  const quotes = i8x16.splat(<i8>quote);
  const text = scratch;
  let t = copyLoose(text, cellStart, p - cellStart);
  let any = seen;
  while (p < stop) {
    const v = v128.load(p);
    any = v128.or(any, v);
    const hits = before(stop, p, i8x16.bitmask(i8x16.eq(v, quotes)));
    const even = evenRuns(hits);
    const dropped = (even & 0xaaaa) | (hits & ~even & 0x5555);
    const ends = oddEnds(hits, even);
    const low = dropped & 0xff;
    const high = dropped >> 8;
    const lowLanes = v128.load64_zero(keptLanes + (<usize>low << 3));
    const highLanes = v128.load64_zero(keptLanes + (<usize>high << 3));
    v128.store(t, i8x16.swizzle(v, lowLanes));
    v128.store(
      t + 8 - <usize>popcnt(low),
      i8x16.swizzle(v, i8x16.add(highLanes, i8x16.splat(8))),
    );
    if ((ends & 0xffff) != 0) {
      const place = <u32>ctz(ends) - 1;
      t += <usize>(place - popcnt(dropped & ((1 << place) - 1)));
      seen = any;
      cellStart = text;
      cellLength = t - text;
      scratch = t;
      return p + <usize>place;
    }
    // As in `skipDoubled`. A branch, as the next load would wait for a sum: 45 ns a row.
    t -= <usize>popcnt(dropped);
    if (ends == 0) {
      p += 16;
      t += 16;
    } else {
      p += 15;
      t += 15;
    }
  }
  seen = any;
  return 0;
}

/**
 * `closeDoubled` where `escape` makes a quote or another `escape` literal. Before anything else the
 * escape stands for itself.
 */
function closeEscaped(p: usize, stop: usize, quote: u32, escape: u32): usize {
  const quotes = i8x16.splat(<i8>quote);
  const escapes = i8x16.splat(<i8>escape);
  const text = scratch;
  let t = text;
  cellStart = p;
  while (p < stop) {
    const v = v128.load(p);
    seen = v128.or(seen, v);
    v128.store(t, v);
    const hits = before(
      stop,
      p,
      i8x16.bitmask(v128.or(i8x16.eq(v, quotes), i8x16.eq(v, escapes))),
    );
    if (hits == 0) {
      p += 16;
      t += 16;
      continue;
    }
    const clean = <usize>ctz(hits);
    p += clean;
    t += clean;
    if (load<u8>(p) == quote) {
      cellLength = t - text;
      cellStart = text;
      scratch = t;
      return p;
    }
    if (p + 1 >= stop) return 0;
    const next = <u32>load<u8>(p, 1);
    const escapes2 = next == quote || next == escape;
    store<u8>(t++, <u8>(escapes2 ? next : escape));
    p += escapes2 ? 2 : 1;
  }
  return 0;
}

/** Address of the first LF or CR in [p, end), or `end`. */
export function findLineEnd(p: usize, end: usize): usize {
  const feeds = i8x16.splat(<i8>LINE_FEED);
  const returns = i8x16.splat(<i8>CARRIAGE_RETURN);
  for (; p < end; p += 16) {
    const v = v128.load(p);
    const hits = i8x16.bitmask(v128.or(i8x16.eq(v, feeds), i8x16.eq(v, returns)));
    if (hits != 0) return min(p + <usize>ctz(hits), end);
  }
  return end;
}

@inline
function setCell(columns: usize, cell: u32, row: i32, start: usize, length: usize): void {
  const column = changetype<Column>(<usize>load<u32>(columns + (<usize>cell << 2)));
  column.set(row, length == 0 ? KIND_NULL : KIND_STRING, start, length);
}

// What scanCells gives beside how the row ended.
let cellCount: u32 = 0;
let rowEnd: usize = 0;

/** Cells of the row at `p` up to its end, which is looked for before `stop`, into the columns. */
function scanCells(scan: Scan, p: usize, stop: usize, row: i32): i32 {
  const columns = scan.columns;
  const cells = scan.cells;
  const delimiter = scan.delimiter;
  const quote = scan.quote;
  const delimiters = i8x16.splat(<i8>delimiter);
  const feeds = i8x16.splat(<i8>LINE_FEED);
  const returns = i8x16.splat(<i8>CARRIAGE_RETURN);
  const ignored = <usize>load<u32>(columns + (<usize>cells << 2));
  let cell: u32 = 0;
  while (true) {
    if (p < stop && load<u8>(p) == quote) {
      const slot = min(cell, cells);
      const wanted = <usize>load<u32>(columns + (<usize>slot << 2)) != ignored;
      const close =
        scan.escape > 0xff
          ? closeDoubled(p + 1, stop, quote, wanted)
          : closeEscaped(p + 1, stop, quote, scan.escape);
      cellCount = cell + 1;
      if (close == 0) return AT_STOP_IN_QUOTES;
      if (wanted) setCell(columns, slot, row, cellStart, cellLength);
      p = close + 1;
      if (p >= stop) {
        rowEnd = stop;
        return AT_STOP;
      }
      const c = <u32>load<u8>(p);
      if (c == delimiter) {
        cell++;
        p++;
        continue;
      }
      rowEnd = p;
      return c == LINE_FEED || c == CARRIAGE_RETURN ? AT_LINE_END : AFTER_CLOSING_QUOTE;
    }
    // Unquoted cells, as many as there are in a row.
    let base = p;
    let hits: u32 = 0;
    let any = seen;
    while (true) {
      const v = v128.load(base);
      any = v128.or(any, v);
      hits = i8x16.bitmask(
        v128.or(i8x16.eq(v, delimiters), v128.or(i8x16.eq(v, feeds), i8x16.eq(v, returns))),
      );
      let quoted = false;
      while (hits != 0) {
        const at = base + <usize>ctz(hits);
        if (at >= stop) break;
        setCell(columns, min(cell, cells), row, p, at - p);
        cell++;
        if (load<u8>(at) != delimiter) {
          seen = any;
          cellCount = cell;
          rowEnd = at;
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
        seen = any;
        setCell(columns, min(cell, cells), row, p, stop - p);
        cellCount = cell + 1;
        rowEnd = stop;
        return AT_STOP;
      }
    }
    seen = any;
  }
}

function clearCells(scan: Scan, row: i32): void {
  for (let cell: u32 = 0; cell < scan.cells; cell++) setCell(scan.columns, cell, row, 0, 0);
}

@inline
function finishRow(scan: Scan, start: usize, end: usize, fault: u32, ending: i32): void {
  const row = <usize>scan.rows;
  store<u32>(scan.starts + (row << 2), <u32>start);
  store<u32>(scan.lengths + (row << 2), <u32>(end - start));
  store<u8>(scan.faults + row, <u8>fault);
  store<u32>(scan.cellCounts + (row << 2), cellCount);
  store<u8>(scan.endings + row, <u8>ending);
  if (fault != 0) clearCells(scan, scan.rows);
  scan.rows++;
}

/**
 * Gives out the rows that begin in [cursor, rowsEnd). A record that is malformed, not closed or too
 * long is taken to end with its first line, however far it seemed to reach: the lines after it are
 * rows again. Blank lines are no rows.
 */
export function scanRecords(address: usize): i32 {
  const scan = changetype<Scan>(address);
  if (!lanesReady) fillLanes();
  const end = scan.end;
  const rowBytesMax = <usize>scan.rowBytesMax;
  scratch = scan.scratch;
  scan.rows = 0;
  let p = scan.cursor;
  while (scan.rows < scan.rowsMax) {
    while (p < end && (load<u8>(p) == LINE_FEED || load<u8>(p) == CARRIAGE_RETURN)) p++;
    if (p >= scan.rowsEnd || p >= end) break;
    const tooLong = end - p > rowBytesMax;
    const stop = tooLong ? p + rowBytesMax + 1 : end;
    const kept = scratch;
    seen = i8x16.splat(0);
    const ending = scanCells(scan, p, stop, scan.rows);
    if (ending == AT_LINE_END || (ending == AT_STOP && !tooLong && scan.final != 0)) {
      let fault: u32 = cellCount == scan.cells ? 0 : RAGGED_ROW;
      if (i8x16.bitmask(seen) != 0 && validateUtf8(p, rowEnd) == 0) fault = INVALID_UTF8;
      finishRow(scan, p, rowEnd, fault, ending);
      p = rowEnd;
      continue;
    }
    scratch = kept;
    const lineEnd = findLineEnd(p, stop);
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
