// Finds the value of each row of a Parquet page in kernel memory; no value is copied. A page has, one after
// the other: the repeats of columns in lists, the levels of optional columns, and the values of the rows
// that are not null, as they are or as indexes of a dictionary. A page can be read in several steps: a
// `PageCursor` holds the position, a `RowWindow` takes the rows.
// https://parquet.apache.org/docs/file-format/data-pages/

import { Hybrid, readLevels, readValues } from "./parquet-hybrid";
import { validateUtf8 } from "../utf8";

// Positions of a page's values; the same numbers as `valueForms` in src/batch/page-cursor.ts.
/** One after the other, each after its length (u32). */
const PLAIN_BYTES: u32 = 0;
/** One after the other, `width` bytes each. */
const PLAIN_FIXED: u32 = 1;
/** The page has indexes of entries: address and length of each. */
const INDEXED_BYTES: u32 = 2;
/** The page has indexes of values of `width` bytes each. */
const INDEXED_FIXED: u32 = 3;
/** A list: address and length (u32 each) of each, from `next` to `end`. */
const LISTED_BYTES: u32 = 4;

// Why rows cannot be read; the same numbers as `pageFaults` in src/batch/page-cursor.ts.
const SOUND: u32 = 0;
const LEVELS_END: u32 = 1;
const LEVEL_TOO_HIGH: u32 = 2;
const VALUES_END: u32 = 3;
const NO_SUCH_ENTRY: u32 = 4;
const VALUES_MISCOUNTED: u32 = 5;
const REPEATS_WRONG: u32 = 6;

const VALUES_UNKNOWN: u32 = u32.MAX_VALUE;

/** A page that is being read; as in src/batch/page-cursor.ts. */
@unmanaged
class PageCursor {
  form: u32;
  /** Level of a row with a value; above 0 `levels` are read. */
  levelMax: u32;
  levels: Hybrid;
  /** Indexed forms. */
  indexes: Hybrid;
  /** Plain forms: what was not read yet. */
  next: usize;
  end: usize;
  /** Bytes of a value of fixed size. */
  width: u32;
  /** Indexed forms. */
  entries: usize;
  entryCount: u32;
  /** 1 if values are texts that must be checked to be UTF-8. */
  texts: u32;
  /** Set to 1 by a text that is not UTF-8. */
  malformed: u32;
  /** Rows that were not read yet. */
  rowsLeft: u32;
  /** Number of them that are not null, or `VALUES_UNKNOWN`. */
  valuesLeft: u32;
  /** Number of lists around the values. Above 0, `repeats` are read, and rows are entries. */
  repeatMax: u32;
  repeats: Hybrid;
}

/** Rows that were read; as in src/batch/row-window.ts. */
@unmanaged
export class RowWindow {
  /** u32 addresses of values; undefined where there is no value. */
  starts: usize;
  /** u32 lengths of byte strings; 0 where there is no value. */
  lengths: usize;
  /** u8 levels. */
  levels: usize;
  /** Room for a u32 for each row. */
  indexes: usize;
  /** u8 repeats of entries: the number of lists around them that they continue. */
  repeats: usize;
}

/** Writes the next `rows` rows of a page to the window from its row `at` on. Returns a fault or 0. */
export function readPageRows(page: PageCursor, window: RowWindow, at: u32, rows: u32): u32 {
  const levels = window.levels + <usize>at;
  if (page.repeatMax != 0 && !readRepeats(page, window.repeats + <usize>at, rows)) {
    return REPEATS_WRONG;
  }
  let values = rows;
  if (page.levelMax == 0) {
    memory.fill(levels, 0, <usize>rows);
  } else {
    if (readLevels(page.levels, rows, levels) < rows) return LEVELS_END;
    values = countValues(levels, rows, page.levelMax);
    if (values > rows) return LEVEL_TOO_HIGH;
  }
  if (!countDown(page, rows, values)) return VALUES_MISCOUNTED;
  const starts = window.starts + ((<usize>at) << 2);
  const lengths = window.lengths + ((<usize>at) << 2);
  switch (page.form) {
    case PLAIN_BYTES:
      return readPlainBytes(page, levels, rows, starts, lengths);
    case PLAIN_FIXED:
      return readPlainFixed(page, levels, rows, values, starts);
    case LISTED_BYTES:
      return readListed(page, levels, rows, values, starts, lengths);
    default:
      if (readValues(page.indexes, values, window.indexes) < values) return VALUES_END;
      if (page.form == INDEXED_FIXED) {
        return readIndexedFixed(page, levels, rows, window.indexes, starts);
      }
      return readIndexedBytes(page, levels, rows, window.indexes, starts, lengths);
  }
}

function readRepeats(page: PageCursor, repeats: usize, rows: u32): bool {
  if (readLevels(page.repeats, rows, repeats) < rows) return false;
  return countValues(repeats, rows, page.repeatMax) <= rows;
}

/**
 * Returns false if there are more or fewer values than the page's header says. In lists there can be fewer:
 * writers differ in whether a list without elements counts as a null.
 */
function countDown(page: PageCursor, rows: u32, values: u32): bool {
  page.rowsLeft -= rows;
  if (page.valuesLeft == VALUES_UNKNOWN) return true;
  if (values > page.valuesLeft) return false;
  page.valuesLeft -= values;
  return page.rowsLeft > 0 || page.valuesLeft == 0 || page.repeatMax > 0;
}

/** Counts the rows whose level is `levelMax`; returns more than `rows` if one is above it. */
function countValues(levels: usize, rows: u32, levelMax: u32): u32 {
  let count: u32 = 0;
  let highest: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const level = <u32>load<u8>(levels + <usize>row);
    count += <u32>(level == levelMax);
    highest = max(highest, level);
  }
  return highest > levelMax ? u32.MAX_VALUE : count;
}

@inline
function hasValue(levels: usize, row: u32, levelMax: u32): bool {
  return <u32>load<u8>(levels + <usize>row) == levelMax;
}

@inline
function setRow(starts: usize, lengths: usize, row: u32, start: usize, length: usize): void {
  store<u32>(starts + ((<usize>row) << 2), <u32>start);
  store<u32>(lengths + ((<usize>row) << 2), <u32>length);
}

/** True if a text is UTF-8. Most texts are ASCII, which one pass of vectors finds. */
@inline
function isText(start: usize, length: usize): bool {
  const end = start + length;
  let any = i8x16.splat(0);
  let p = start;
  for (; p + 16 <= end; p += 16) any = v128.or(any, v128.load(p));
  const last = i8x16.bitmask(v128.load(p)) & ((1 << <i32>(end - p)) - 1);
  return (i8x16.bitmask(any) | last) == 0 || validateUtf8(start, end) != 0;
}

function readPlainBytes(
  page: PageCursor, levels: usize, rows: u32, starts: usize, lengths: usize,
): u32 {
  const levelMax = page.levelMax;
  const end = page.end;
  const texts = page.texts != 0;
  let p = page.next;
  for (let row: u32 = 0; row < rows; row++) {
    if (!hasValue(levels, row, levelMax)) {
      setRow(starts, lengths, row, p, 0);
      continue;
    }
    if (end - p < 4) return VALUES_END;
    const length = <usize>load<u32>(p);
    p += 4;
    if (end - p < length) return VALUES_END;
    setRow(starts, lengths, row, p, length);
    if (texts && !isText(p, length)) page.malformed = 1;
    p += length;
  }
  page.next = p;
  return SOUND;
}

function readPlainFixed(
  page: PageCursor, levels: usize, rows: u32, values: u32, starts: usize,
): u32 {
  const levelMax = page.levelMax;
  const width = <usize>page.width;
  let p = page.next;
  if (<u64>values * <u64>width > <u64>(page.end - p)) return VALUES_END;
  for (let row: u32 = 0; row < rows; row++) {
    store<u32>(starts + ((<usize>row) << 2), <u32>p);
    p += hasValue(levels, row, levelMax) ? width : 0;
  }
  page.next = p;
  return SOUND;
}

function readListed(
  page: PageCursor, levels: usize, rows: u32, values: u32, starts: usize, lengths: usize,
): u32 {
  const levelMax = page.levelMax;
  const texts = page.texts != 0;
  let p = page.next;
  if (<u64>values << 3 > <u64>(page.end - p)) return VALUES_END;
  for (let row: u32 = 0; row < rows; row++) {
    if (!hasValue(levels, row, levelMax)) {
      setRow(starts, lengths, row, p, 0);
      continue;
    }
    const start = <usize>load<u32>(p);
    const length = <usize>load<u32>(p, 4);
    setRow(starts, lengths, row, start, length);
    if (texts && !isText(start, length)) page.malformed = 1;
    p += 8;
  }
  page.next = p;
  return SOUND;
}

function readIndexedBytes(
  page: PageCursor, levels: usize, rows: u32, indexes: usize, starts: usize, lengths: usize,
): u32 {
  const levelMax = page.levelMax;
  const entries = page.entries;
  const count = page.entryCount;
  for (let row: u32 = 0; row < rows; row++) {
    if (!hasValue(levels, row, levelMax)) {
      setRow(starts, lengths, row, entries, 0);
      continue;
    }
    const index = load<u32>(indexes);
    indexes += 4;
    if (index >= count) return NO_SUCH_ENTRY;
    const entry = entries + ((<usize>index) << 3);
    setRow(starts, lengths, row, load<u32>(entry), load<u32>(entry, 4));
  }
  return SOUND;
}

function readIndexedFixed(
  page: PageCursor, levels: usize, rows: u32, indexes: usize, starts: usize,
): u32 {
  const levelMax = page.levelMax;
  const count = page.entryCount;
  for (let row: u32 = 0; row < rows; row++) {
    let index: u32 = 0;
    if (hasValue(levels, row, levelMax)) {
      index = load<u32>(indexes);
      indexes += 4;
      if (index >= count) return NO_SUCH_ENTRY;
    }
    store<u32>(starts + ((<usize>row) << 2), <u32>page.entries + index * page.width);
  }
  return SOUND;
}

/**
 * Writes the address and the length (u32 each) of each of the plain byte arrays from `start` on to
 * `target`. Returns 0 if there are fewer than `count`, 2 if they are `texts` and one is not UTF-8, else 1.
 */
export function listPlainBytes(
  start: usize, end: usize, count: u32, texts: bool, target: usize,
): u32 {
  let p = start;
  let result: u32 = 1;
  for (let i: u32 = 0; i < count; i++) {
    if (end - p < 4) return 0;
    const length = <usize>load<u32>(p);
    p += 4;
    if (end - p < length) return 0;
    store<u32>(target, <u32>p);
    store<u32>(target, <u32>length, 4);
    target += 8;
    if (texts && !isText(p, length)) result = 2;
    p += length;
  }
  return result;
}

/** Sums the lengths (u32 each) of rows. */
export function sumLengths(lengths: usize, rows: u32): f64 {
  let sums = i64x2.splat(0);
  let row: u32 = 0;
  for (; row + 4 <= rows; row += 4) {
    const four = v128.load(lengths + ((<usize>row) << 2));
    const two = i64x2.add(i64x2.extend_low_i32x4_u(four), i64x2.extend_high_i32x4_u(four));
    sums = i64x2.add(sums, two);
  }
  let sum = i64x2.extract_lane(sums, 0) + i64x2.extract_lane(sums, 1);
  for (; row < rows; row++) sum += <i64>load<u32>(lengths + ((<usize>row) << 2));
  return <f64>sum;
}

/** Returns 1 if each of `rows` rows has a byte string that is not empty: it has the level `levelMax`. */
export function areFilled(levels: usize, lengths: usize, rows: u32, levelMax: u32): i32 {
  for (let row: u32 = 0; row < rows; row++) {
    if (!hasValue(levels, row, levelMax) || load<u32>(lengths + ((<usize>row) << 2)) == 0) return 0;
  }
  return 1;
}

/**
 * Copies the values of `rows` rows of a window, from its row `first` on, to `target`, and points the rows at
 * the copies. Values have `width` bytes; if that is 0, each has the length of its row.
 */
export function moveValues(
  window: RowWindow, first: u32, rows: u32, levelMax: u32, width: u32, target: usize,
): void {
  for (let row = first; row < first + rows; row++) {
    const at = window.starts + ((<usize>row) << 2);
    let size: usize = 0;
    if (<u32>load<u8>(window.levels + <usize>row) == levelMax) {
      size = width != 0 ? <usize>width : <usize>load<u32>(window.lengths + ((<usize>row) << 2));
    }
    memory.copy(target, <usize>load<u32>(at), size);
    store<u32>(at, <u32>target);
    target += size;
  }
}
