// Loads packs of several spill files into a row buffer, day by day. Each split has a file, and each
// file has a list of its packs in the order of their days. `choosePacks` walks all lists side by
// side and moves the end of the chosen packs in each list. The host reads the chosen packs in
// ranges as long as possible (`measureStretch`). `unpackDays` compares each pack with its checksum
// and points the row buffer's columns into it. src/sinks/spill/spill-index.ts describes the
// entries.

import { checksumPack } from "./pack-checksum";
import { unpackRows } from "./spill";

@unmanaged
class PackEntry {
  offset: f64;
  day: i32;
  rows: u32;
  bytes: u32;
  checksum: u32;
}

/**
 * Made in src/sinks/spill/pack-groups.ts: a spill file, with its entries in the order of their
 * days.
 */
@unmanaged
class SpillFile {
  entries: u32;
  count: u32;
  /** Entries [next, end) are chosen; those before them are in parts. */
  next: u32;
  end: u32;
  /** Address of the chosen packs, which are contiguous. */
  data: u32;
}

/** Days that are chosen together, at most; as in src/sinks/spill/pack-groups.ts. */
const DAYS_MAX: i32 = 1_024;

const NO_DAY: i32 = i32.MAX_VALUE;

@inline
function fileAt(files: usize, index: i32): SpillFile {
  return changetype<SpillFile>(files + <usize>index * offsetof<SpillFile>());
}

@inline
function entryAt(file: SpillFile, place: u32): PackEntry {
  return changetype<PackEntry>(<usize>file.entries + <usize>place * offsetof<PackEntry>());
}

/** The first day after the chosen ones, or NO_DAY. */
function nextDay(files: usize, fileCount: i32): i32 {
  let day = NO_DAY;
  for (let f: i32 = 0; f < fileCount; f++) {
    const file = fileAt(files, f);
    if (file.end < file.count) day = min(day, entryAt(file, file.end).day);
  }
  return day;
}

/**
 * Chooses packs of the next days: as many as have `groupBytes` together, or of a single day up to
 * `bytesMax`. If that day has more bytes, or more rows than `rowsMax`, it chooses as many of its
 * packs as fit, at least one. Writes to `result` as u32: rows, bytes, and whether the last of the
 * days is complete.
 */
export function choosePacks(
  files: usize,
  fileCount: i32,
  groupBytes: u32,
  bytesMax: u32,
  rowsMax: u32,
  result: usize,
): void {
  let rows: u64 = 0;
  let bytes: u64 = 0;
  let isWhole: u32 = 1;
  for (let days: i32 = 0; days < DAYS_MAX; days++) {
    const day = nextDay(files, fileCount);
    if (day == NO_DAY) break;
    let dayRows: u64 = 0;
    let dayBytes: u64 = 0;
    for (let f: i32 = 0; f < fileCount; f++) {
      const file = fileAt(files, f);
      for (let place = file.end; place < file.count && entryAt(file, place).day == day; place++) {
        dayRows += entryAt(file, place).rows;
        dayBytes += entryAt(file, place).bytes;
      }
    }
    const bytesLimit = days == 0 ? bytesMax : groupBytes;
    const fits = bytes + dayBytes <= <u64>bytesLimit && rows + dayRows <= <u64>rowsMax;
    if (!fits && days > 0) break;
    for (let f: i32 = 0; f < fileCount; f++) {
      const file = fileAt(files, f);
      for (; file.end < file.count && entryAt(file, file.end).day == day; file.end++) {
        const entry = entryAt(file, file.end);
        const more = bytes + entry.bytes > <u64>bytesMax || rows + entry.rows > <u64>rowsMax;
        if (!fits && rows > 0 && more) {
          isWhole = 0;
          break;
        }
        rows += entry.rows;
        bytes += entry.bytes;
      }
      if (isWhole == 0) break;
    }
    if (!fits) break;
  }
  store<u32>(result, <u32>rows);
  store<u32>(result, <u32>bytes, 4);
  store<u32>(result, isWhole, 8);
}

/**
 * Writes how many of the chosen packs of a file are contiguous in it, from `place` on. Writes to
 * `result`: the offset of the first of them (f64), their bytes, and the index after the last (u32).
 */
export function measureStretch(files: usize, index: i32, place: u32, result: usize): void {
  const file = fileAt(files, index);
  const start = entryAt(file, place).offset;
  let bytes: u32 = 0;
  while (place < file.end && entryAt(file, place).offset == start + <f64>bytes) {
    bytes += entryAt(file, place++).bytes;
  }
  store<f64>(result, start);
  store<u32>(result, bytes, 8);
  store<u32>(result, place, 12);
}

/** The first day of the chosen packs that are not unpacked, or NO_DAY. */
function loadedDay(files: usize, fileCount: i32): i32 {
  let day = NO_DAY;
  for (let f: i32 = 0; f < fileCount; f++) {
    const file = fileAt(files, f);
    if (file.next < file.end) day = min(day, entryAt(file, file.next).day);
  }
  return day;
}

/**
 * Describes the rows of the chosen packs, which have been read, in `columns` and `timestamps`: day
 * by day and, within a day, in the order of the files. Writes day, first row and row after the last
 * (u32 each) of each day to `days`. Returns the number of days, or -1 if a pack is damaged: then
 * `result` has the number of its file and its index there (u32 each).
 */
export function unpackDays(
  files: usize,
  fileCount: i32,
  columns: usize,
  columnCount: i32,
  timestamps: usize,
  days: usize,
  result: usize,
): i32 {
  let count: i32 = 0;
  let row: i32 = 0;
  for (let day = loadedDay(files, fileCount); day != NO_DAY; day = loadedDay(files, fileCount)) {
    store<i32>(days, day);
    store<u32>(days, <u32>row, 4);
    for (let f: i32 = 0; f < fileCount; f++) {
      const file = fileAt(files, f);
      for (; file.next < file.end && entryAt(file, file.next).day == day; file.next++) {
        const entry = entryAt(file, file.next);
        const rows = <i32>entry.rows;
        const data = <usize>file.data;
        if (
          checksumPack(data, entry.bytes, day, rows) != entry.checksum ||
          unpackRows(data, entry.bytes, rows, columns, columnCount, timestamps, row) == 0
        ) {
          store<u32>(result, <u32>f);
          store<u32>(result, file.next, 4);
          return -1;
        }
        file.data += entry.bytes;
        row += rows;
      }
    }
    store<u32>(days, <u32>row, 8);
    days += 12;
    count++;
  }
  return count;
}
