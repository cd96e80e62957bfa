// A column of cells as all kernels take it: each row has the address, length and kind of its bytes.
// The bytes stay where a reader has them, so that no value is copied to make a column.

/**
 * Descriptor of a column: addresses of u32 starts, u32 lengths and u8 kinds, one of each per row.
 */
@unmanaged
export class Column {
  starts: usize;
  lengths: usize;
  kinds: usize;

  @inline
  start(row: i32): usize {
    return <usize>load<u32>(this.starts + ((<usize>row) << 2));
  }

  @inline
  length(row: i32): usize {
    return <usize>load<u32>(this.lengths + ((<usize>row) << 2));
  }

  @inline
  kind(row: i32): u32 {
    return load<u8>(this.kinds + <usize>row);
  }

  @inline
  set(row: i32, kind: u32, start: usize, length: usize): void {
    store<u8>(this.kinds + <usize>row, <u8>kind);
    store<u32>(this.starts + ((<usize>row) << 2), <u32>start);
    store<u32>(this.lengths + ((<usize>row) << 2), <u32>length);
  }
}

/** Returns the column at an index of a list of addresses (u32). */
@inline
export function columnAt(columns: usize, index: i32): Column {
  return changetype<Column>(<usize>load<u32>(columns + ((<usize>index) << 2)));
}

/** Returns the row number at an index of an order (u32 each). */
@inline
export function rowAt(order: usize, index: i32): i32 {
  return load<i32>(order + ((<usize>index) << 2));
}

// The same numbers as `cellKinds` in src/batch/column.ts.
export const KIND_NULL: u32 = 0;
export const KIND_STRING: u32 = 1;
export const KIND_NUMBER: u32 = 2;
export const KIND_BOOLEAN: u32 = 3;
export const KIND_OBJECT: u32 = 4;
export const KIND_ARRAY: u32 = 5;
export const KIND_MALFORMED_STRING: u32 = 6;
