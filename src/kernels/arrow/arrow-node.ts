// Columns of Parquet with their types, as a tree: a struct has a node for each member, a list one for all
// elements of all rows, a map one for its keys and one for its values. A leaf is in one of two layouts:
// Arrow's own, where the library has decoded it, or a list-view into Parquet's pages, where kernels have.

// The same numbers as `arrowTypes` in src/batch/arrow-node.ts.
export const NULL: u32 = 0;
export const BOOLEAN: u32 = 1;
export const INT32: u32 = 2;
export const INT64: u32 = 3;
export const UINT32: u32 = 4;
export const UINT64: u32 = 5;
export const HALF: u32 = 6;
export const FLOAT: u32 = 7;
export const DOUBLE: u32 = 8;
export const TEXT: u32 = 9;
export const HEX: u32 = 10;
export const FIXED_HEX: u32 = 11;
export const UUID: u32 = 12;
export const DATE: u32 = 13;
export const TIME32: u32 = 14;
export const TIME64: u32 = 15;
export const TIMESTAMP: u32 = 16;
export const DECIMAL32: u32 = 17;
export const DECIMAL64: u32 = 18;
export const FIXED_DECIMAL: u32 = 19;
export const DECIMAL: u32 = 20;
export const INTERVAL: u32 = 21;
export const STRUCT: u32 = 22;
export const LIST: u32 = 23;
export const MAP: u32 = 24;

/**
 * An array's slice in kernel memory: row 0 is the first of the slice in all that stands here. Arrow's
 * own layout, or where `starts` is not 0 a list-view: every row has the address of its value.
 */
@unmanaged
export class ArrowNode {
  type: u32;
  /** Bitmap, or 0 where nothing is null. */
  validity: usize;
  /** Bit of the bitmap that row 0 has. */
  validityBit: u32;
  /** Values; of texts and lists: what the first offset points at. */
  data: usize;
  /** Bit of the data that row 0 has, for booleans. */
  dataBit: u32;
  /** u32 offsets, one more than rows. */
  offsets: usize;
  /** Bytes of a value with fixed size; digits of the fraction for times. */
  width: u32;
  /** Decimals: places. Timestamps: 1 for UTC. Structs: 1 leaves null members out. */
  option: u32;
  /** Addresses of the children (u32 each). Maps: key and value. */
  children: usize;
  childCount: u32;
  /** `"name":` as it stands in JSON. */
  name: usize;
  nameLength: u32;
  /** List-views: u32 addresses of the rows' values, also of those with fixed size; booleans are u8. */
  starts: usize;
  /** List-views of byte strings: u32 lengths. */
  lengths: usize;
  /** In place of a bitmap: u8 levels, or 0. */
  levels: usize;
  /** Level from which on a row is not null. */
  level: u32;

  @inline
  valid(row: u32): bool {
    if (this.levels != 0) return <u32>load<u8>(this.levels + <usize>row) >= this.level;
    if (this.validity == 0) return true;
    const bit = this.validityBit + row;
    return ((<u32>load<u8>(this.validity + <usize>(bit >> 3)) >> (bit & 7)) & 1) != 0;
  }

  @inline
  offset(row: u32): u32 {
    return load<u32>(this.offsets + (<usize>row << 2)) - load<u32>(this.offsets);
  }

  /** Address of a byte string. */
  @inline
  start(row: u32): usize {
    if (this.starts != 0) return <usize>load<u32>(this.starts + (<usize>row << 2));
    return this.data + <usize>this.offset(row);
  }

  /** Bytes of a byte string. */
  @inline
  length(row: u32): usize {
    if (this.starts != 0) return <usize>load<u32>(this.lengths + (<usize>row << 2));
    return <usize>(this.offset(row + 1) - this.offset(row));
  }

  /** Address of a value of `size` bytes. */
  @inline
  fixed(row: u32, size: u32): usize {
    if (this.starts != 0) return <usize>load<u32>(this.starts + (<usize>row << 2));
    return this.data + <usize>(row * size);
  }

  @inline
  bool(row: u32): bool {
    if (this.starts != 0) return load<u8>(this.fixed(row, 1)) != 0;
    const bit = this.dataBit + row;
    return ((<u32>load<u8>(this.data + <usize>(bit >> 3)) >> (bit & 7)) & 1) != 0;
  }

  @inline
  int32(row: u32): i32 {
    return load<i32>(this.fixed(row, 4));
  }

  @inline
  int64(row: u32): i64 {
    return load<i64>(this.fixed(row, 8));
  }

  @inline
  child(index: u32): ArrowNode {
    return changetype<ArrowNode>(<usize>load<u32>(this.children + (<usize>index << 2)));
  }
}

