// Makes cells null whose text means null.

import { Column, KIND_NULL } from "../column";
import { RecordScan } from "./csv-scan";

/** A text of at least one byte that means null; laid out by src/readers/csv/record-scanner.ts. */
@unmanaged
class CsvNullText {
  text: usize;
  length: u32;
  /** 1 if it means null inside quotes, too. */
  inQuotes: u32;
}

@inline
function isEqual(p: usize, other: usize, length: usize): bool {
  let index: usize = 0;
  while (index < length && load<u8>(p + index) == load<u8>(other + index)) index++;
  return index == length;
}

/** Returns whether a cell of the row is unquoted. Only quoted texts are outside the row's bytes. */
@inline
function isUnquoted(scan: RecordScan, row: i32, start: usize): bool {
  const rowStart = <usize>load<u32>(scan.starts + ((<usize>row) << 2));
  const rowLength = <usize>load<u32>(scan.lengths + ((<usize>row) << 2));
  if (start <= rowStart) return start == rowStart;
  return start < rowStart + rowLength && <u32>load<u8>(start - 1) != scan.quote;
}

/**
 * Makes the cells of a scan's rows null that are equal to the text. Reads up to 12 bytes after the
 * last length of a cell.
 */
export function nullCells(source: usize, address: usize, nullText: usize): void {
  const column = changetype<Column>(source);
  const scan = changetype<RecordScan>(address);
  const nulls = changetype<CsvNullText>(nullText);
  const length = <usize>nulls.length;
  const lengths = i32x4.splat(<i32>length);
  for (let group = 0; group < scan.rows; group += 4) {
    const found = v128.load(column.lengths + ((<usize>group) << 2));
    for (let hits = i32x4.bitmask(i32x4.eq(found, lengths)); hits != 0; hits &= hits - 1) {
      const row = group + ctz(hits);
      if (row >= scan.rows || column.kind(row) == KIND_NULL) continue;
      const start = column.start(row);
      if (!isEqual(start, nulls.text, length)) continue;
      if (nulls.inQuotes != 0 || isUnquoted(scan, row, start)) column.set(row, KIND_NULL, 0, 0);
    }
  }
}
