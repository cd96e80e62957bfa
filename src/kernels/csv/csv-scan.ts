// The record of a scan, and the steps that the walks over cells share.

import { Column, KIND_NULL, KIND_STRING } from "../column";

// The ways in which the cells of a row end. The same numbers as `rowEndings` in
// src/readers/csv/record-scanner.ts.
export const AT_LINE_END: i32 = 1;
export const AT_STOP: i32 = 2;
export const AT_STOP_IN_QUOTES: i32 = 3;
export const AFTER_CLOSING_QUOTE: i32 = 4;

export const LINE_FEED: u32 = 0x0a;
export const CARRIAGE_RETURN: u32 = 0x0d;

/** The input and output of a scan; laid out by src/readers/csv/record-scanner.ts. */
@unmanaged
export class RecordScan {
  /** In: the position to continue at. Out: the first byte that is not consumed. */
  cursor: usize;
  /** No row begins here or later. */
  rowsEnd: usize;
  end: usize;
  /** 1 if there is no data after `end`. */
  final: u32;
  rowsMax: i32;
  /** Out: the number of rows. */
  rows: i32;
  delimiter: u32;
  /** 256 if quotes have no meaning. */
  quote: u32;
  /** The character that makes a quote literal; 256 if a doubled quote does. */
  escape: u32;
  /** 1 if a backslash escapes any character, 2 if lines end with CR LF as well; else 0. */
  backslashes: u32;
  /** A line that begins with this character is not a row; 256 if there is none. */
  comment: u32;
  /** The number of cells that a row must have. */
  cells: u32;
  /** For each cell, and for one more, the u32 address of its column or of a dummy column. */
  columns: usize;
  /** Longer rows are a fault. */
  rowBytesMax: u32;
  /** Out, for each row: u32 addresses, u32 lengths, u8 faults, u32 cell counts, u8 endings. */
  starts: usize;
  lengths: usize;
  faults: usize;
  cellCounts: usize;
  endings: usize;
  /** Room for all bytes of [cursor, end), and 32 more. */
  scratch: usize;
}

@inline
export function setCell(columns: usize, cell: u32, row: i32, start: usize, length: usize): void {
  const column = changetype<Column>(<usize>load<u32>(columns + (<usize>cell << 2)));
  column.set(row, length == 0 ? KIND_NULL : KIND_STRING, start, length);
}

/** Returns whether the cells at this index are kept. */
@inline
export function isWanted(scan: RecordScan, cell: u32): bool {
  const ignored = load<u32>(scan.columns + (<usize>scan.cells << 2));
  return load<u32>(scan.columns + (<usize>min(cell, scan.cells) << 2)) != ignored;
}

// Results of a walk over the cells of a row, besides how the row ends.
export let cellCount: u32 = 0;
export let rowEnd: usize = 0;

@inline
export function endCells(count: u32, end: usize): void {
  cellCount = count;
  rowEnd = end;
}
