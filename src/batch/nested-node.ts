/** The kinds of values. The numbers are those of src/kernels/nested/nested-node.ts. */
export const nodeTypes = {
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
  int96: 25,
} as const;

export type NodeType = (typeof nodeTypes)[keyof typeof nodeTypes];

/** The type of a leaf's values. */
export interface LeafType {
  readonly type: NodeType;
  /** Bytes of a value if that is fixed; for times the digits of the fraction (3, 6 or 9). */
  readonly width: number;
  /** Decimals: fraction digits. Timestamps: 1 for UTC. Texts: 1 if all are known to be UTF-8. */
  readonly option: number;
}

/** Rows of a nested column in kernel memory, as the kernels of src/kernels/nested take them. */
export interface NestedNode {
  readonly address: number;
  readonly type: NodeType;
  readonly name: string;
  /** Elements: rows at the top, fewer or more inside of lists. */
  readonly rows: number;
  /** Upper bound of the JSON bytes of a value, without those of `dataSize` and of the children. */
  readonly valueSize: number;
  /** Bytes of all values of a leaf together. */
  readonly dataSize: number;
  readonly children: readonly NestedNode[];
}

export function isNested({ type }: Pick<LeafType, "type">): boolean {
  return type === nodeTypes.struct || isRepeated({ type });
}

/** Returns true if a value is a list or a map. */
export function isRepeated({ type }: Pick<LeafType, "type">): boolean {
  return type === nodeTypes.list || type === nodeTypes.map;
}
