// Columns of Parquet with their types, as a tree: a struct has a node for each member, a list one for
// all elements of all rows, a map one for its keys and one for its values. Leaves point into the pages.

// The same numbers as `nodeTypes` in src/batch/nested-node.ts.
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
export const INT96: u32 = 25;

/** The rows of a column or of a part of one; inside of lists its rows are the elements. */
@unmanaged
export class NestedNode {
  type: u32;
  /** Bytes of a value with fixed size; digits of the fraction for times. */
  width: u32;
  /**
   * Decimals: places. Timestamps: 1 for UTC. Structs: 1 leaves null members out. Texts: 1 when all are
   * known to be UTF-8.
   */
  option: u32;
  /** u8 levels of the rows, or 0 where nothing is null. */
  levels: usize;
  /** Level from which on a row is not null. */
  level: u32;
  /** Lists and maps: u32 offsets of the rows' first elements, one more than rows. */
  offsets: usize;
  /** Leaves: u32 addresses of the rows' values. */
  starts: usize;
  /** Leaves of byte strings: u32 lengths of the rows' values. */
  lengths: usize;
  /** Addresses of the children (u32 each). Maps: key and value. */
  children: usize;
  childCount: u32;
  /** `"name":` as JSON has it. */
  name: usize;
  nameLength: u32;

  @inline
  valid(row: u32): bool {
    return this.levels == 0 || <u32>load<u8>(this.levels + <usize>row) >= this.level;
  }

  /** First element of a list or a map. */
  @inline
  offset(row: u32): u32 {
    return load<u32>(this.offsets + (<usize>row << 2));
  }

  /** Address of a value. */
  @inline
  start(row: u32): usize {
    return <usize>load<u32>(this.starts + (<usize>row << 2));
  }

  /** Bytes of a byte string. */
  @inline
  length(row: u32): usize {
    return <usize>load<u32>(this.lengths + (<usize>row << 2));
  }

  @inline
  bool(row: u32): bool {
    return load<u8>(this.start(row)) != 0;
  }

  @inline
  int32(row: u32): i32 {
    return load<i32>(this.start(row));
  }

  @inline
  int64(row: u32): i64 {
    return load<i64>(this.start(row));
  }

  @inline
  child(index: u32): NestedNode {
    return changetype<NestedNode>(<usize>load<u32>(this.children + (<usize>index << 2)));
  }
}
