// Columns of Arrow record batches from columns of a row buffer, through an order of its rows.
// https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-layout

import { Column, KIND_NULL, columnAt, rowAt } from "../column";
import { copyWide } from "../utf8";

/**
 * Writes how many of the rows at `order` [from, to) have at most `bytesMax` bytes of text together,
 * one row at least. `columns` are `columnCount` addresses of columns. Writes to `result` as u32:
 * the index in `order` after the last row, then the bytes of each column.
 */
export function measureColumns(
  columns: usize,
  columnCount: i32,
  order: usize,
  from: i32,
  to: i32,
  bytesMax: usize,
  result: usize,
): void {
  memory.fill(result + 4, 0, <usize>columnCount << 2);
  let bytes: usize = 0;
  let place = from;
  for (; place < to; place++) {
    const row = rowAt(order, place);
    let more: usize = 0;
    for (let c: i32 = 0; c < columnCount; c++) {
      const column = columnAt(columns, c);
      if (column.kind(row) != KIND_NULL) more += column.length(row);
    }
    if (bytes + more > bytesMax && place > from) break;
    bytes += more;
    for (let c: i32 = 0; c < columnCount; c++) {
      const column = columnAt(columns, c);
      if (column.kind(row) == KIND_NULL) continue;
      const size = result + 4 + ((<usize>c) << 2);
      store<u32>(size, load<u32>(size) + <u32>column.length(row));
    }
  }
  store<u32>(result, <u32>place);
}

/**
 * Writes the cells at `order` [from, to) as an Arrow column: one i32 offset more than there are
 * rows to `offsets`, the bytes to `data` (up to 63 bytes past the end are overwritten), and the
 * validity bits, filled up to whole bytes with zeros, to `validity`. Returns the number of nulls.
 */
export function encodeArrowTexts(
  column: usize,
  order: usize,
  from: i32,
  to: i32,
  offsets: usize,
  data: usize,
  validity: usize,
): i32 {
  const cells = changetype<Column>(column);
  memory.fill(validity, 0, <usize>((to - from + 7) >> 3));
  let nulls: i32 = 0;
  let end = data;
  for (let place = from; place < to; place++) {
    const row = rowAt(order, place);
    const index = <usize>(place - from);
    store<i32>(offsets + (index << 2), <i32>(end - data));
    if (cells.kind(row) == KIND_NULL) {
      nulls++;
      continue;
    }
    const byte = validity + (index >> 3);
    store<u8>(byte, <u8>(<u32>load<u8>(byte) | ((<u32>1) << (<u32>index & 7))));
    end = copyWide(end, cells.start(row), cells.length(row));
  }
  store<i32>(offsets + ((<usize>(to - from)) << 2), <i32>(end - data));
  return nulls;
}
