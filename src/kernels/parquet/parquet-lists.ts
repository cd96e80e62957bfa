// Makes lists from the entries of a Parquet column. The repeat of an entry is the number of lists around it
// that it continues; its level is the number of nodes on the path to its value that are not null. In a
// column of optional lists of optional texts the four rows ["a", null], [], null, ["b"] are:
//
//   repeat  0    1   0   0   0      0 begins a row, 1 continues its list
//   level   3    2   1   0   3      0 no list, 1 an empty list, 2 an element that is null, 3 a value
//   value  "a"                "b"
//
// The result is a `Depth` for the rows and one for the elements:
//
//   rows      levels 3 1 0 3    offsets 0 2 2 2 3       the elements of each row: 0 to 1, none, none, 2
//   elements  levels 3 2 3      addresses and lengths of the values, in the page
//
// https://parquet.apache.org/docs/file-format/nestedencoding/

import { RowWindow } from "./parquet-rows";

/** The elements at one depth of lists: the rows, the elements of the outermost lists, and so on. */
@unmanaged
class Depth {
  /** Level from which on there is an element; 0 for rows. */
  level: u32;
  /** Target: u8 levels of the elements. Room for as many as there are entries. */
  levels: usize;
  /**
   * Target: u32 offsets of the elements' lists, one more than elements. Of the last depth: u32
   * addresses of the elements' values.
   */
  offsets: usize;
  /** Target, last depth only: u32 lengths of the elements' values. */
  lengths: usize;
  /** Elements that were found. */
  count: u32;
}

const DEPTH_BYTES: usize = offsetof<Depth>();

@inline
function depthAt(depths: usize, index: u32): Depth {
  return changetype<Depth>(depths + <usize>index * DEPTH_BYTES);
}

/** Counts the entries that begin a row. */
export function countRowStarts(repeats: usize, entries: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < entries; i++) count += <u32>(load<u8>(repeats + <usize>i) == 0);
  return count;
}

/** Counts the entries of the first `rows` rows, or of all rows if there are fewer. */
export function entriesOfRows(repeats: usize, entries: u32, rows: u32): u32 {
  for (let i: u32 = 0; i < entries; i++) {
    if (load<u8>(repeats + <usize>i) != 0) continue;
    if (rows == 0) return i;
    rows--;
  }
  return entries;
}

/**
 * Writes the lists that some entries of the window make to `depths`, with the indexes 0 to `last`. The
 * first entry must begin a row, and no repeat may be above `last`. Returns 1, or 0 where an entry
 * continues a list that has no element.
 */
export function unfoldLists(
  depths: usize, last: u32, window: RowWindow, first: u32, entries: u32,
): u32 {
  const starts = window.starts;
  const lengths = window.lengths;
  const innermost = depthAt(depths, last);
  let before: u32 = 0;
  for (let i = <usize>first; i < <usize>(first + entries); i++) {
    const level = <u32>load<u8>(window.levels + i);
    const repeat = <u32>load<u8>(window.repeats + i);
    // The level of rows is 0.
    if (min(level, before) < depthAt(depths, repeat).level) return 0;
    before = level;
    for (let d = repeat; d <= last; d++) {
      const depth = depthAt(depths, d);
      if (level < depth.level) break;
      const element = <usize>depth.count;
      depth.count++;
      store<u8>(depth.levels + element, <u8>level);
      if (d < last) {
        store<u32>(depth.offsets + (element << 2), depthAt(depths, d + 1).count);
      } else {
        store<u32>(innermost.offsets + (element << 2), load<u32>(starts + (i << 2)));
        store<u32>(innermost.lengths + (element << 2), load<u32>(lengths + (i << 2)));
      }
    }
  }
  for (let d: u32 = 0; d < last; d++) {
    const depth = depthAt(depths, d);
    store<u32>(depth.offsets + (<usize>depth.count << 2), depthAt(depths, d + 1).count);
  }
  return 1;
}
