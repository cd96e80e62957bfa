/** What an array's values are. The numbers travel into src/kernels/arrow/arrow-node.ts. */
export const arrowTypes = {
  null: 0,
  boolean: 1,
  int32: 2,
  int64: 3,
  uint32: 4,
  uint64: 5,
  half: 6,
  float: 7,
  double: 8,
  text: 9,
  hex: 10,
  fixedHex: 11,
  uuid: 12,
  date: 13,
  time32: 14,
  time64: 15,
  timestamp: 16,
  decimal32: 17,
  decimal64: 18,
  fixedDecimal: 19,
  decimal: 20,
  interval: 21,
  struct: 22,
  list: 23,
  map: 24,
} as const;

export type ArrowType = (typeof arrowTypes)[keyof typeof arrowTypes];

/** How the values of a leaf are to be understood. */
export interface ValueType {
  readonly type: ArrowType;
  /** Bytes of a value where that is fixed; for times the digits of the fraction (3, 6 or 9). */
  readonly width: number;
  /** Decimals: decimal places. Timestamps: 1 for UTC. Structs: 1 leaves null members out of JSON. */
  readonly option: number;
}

/**
 * An Arrow array in a WebAssembly memory. Addresses stay right while that memory grows. Maps have
 * two children, key and value.
 */
export interface ArrowArray extends ValueType {
  readonly name: string;
  readonly length: number;
  /** Element of the buffers that row 0 has. */
  readonly offset: number;
  /** Address of the bitmap, or 0 where nothing is null. */
  readonly validity: number;
  /** Address of u32 offsets, for texts, lists and their like. */
  readonly offsets: number;
  /** Address of the values. */
  readonly data: number;
  readonly children: readonly ArrowArray[];
}

/** Bytes of a value in the data buffer; 0 where offsets tell, or where values are bits or children. */
export function valueBytes({ type, width }: ValueType): number {
  switch (type) {
    case arrowTypes.int32:
    case arrowTypes.uint32:
    case arrowTypes.float:
    case arrowTypes.date:
    case arrowTypes.time32:
    case arrowTypes.decimal32:
      return 4;
    case arrowTypes.int64:
    case arrowTypes.uint64:
    case arrowTypes.double:
    case arrowTypes.time64:
    case arrowTypes.timestamp:
    case arrowTypes.decimal64:
      return 8;
    case arrowTypes.half:
      return 2;
    case arrowTypes.fixedHex:
    case arrowTypes.uuid:
    case arrowTypes.fixedDecimal:
    case arrowTypes.interval:
      return width;
    default:
      return 0;
  }
}

/** Whether the data are bytes that offsets point into. */
export function hasBytes({ type }: ValueType): boolean {
  return type === arrowTypes.text || type === arrowTypes.hex || type === arrowTypes.decimal;
}

export function isNested({ type }: Pick<ValueType, "type">): boolean {
  return type === arrowTypes.struct || isRepeated({ type });
}

export function isRepeated({ type }: Pick<ValueType, "type">): boolean {
  return type === arrowTypes.list || type === arrowTypes.map;
}
