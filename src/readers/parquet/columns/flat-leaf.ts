import type { ValueType } from "../../../batch/arrow-node.js";
import type { SchemaNode } from "../footer/schema-tree.js";
import { physicalTypes } from "../footer/value-type.js";

/** How the values of a column chunk lie in its pages. */
export interface Leaf {
  /** Level of a row with a value. */
  readonly levelMax: number;
  /** Lists around a value. */
  readonly repeatMax: number;
  readonly physical: number;
  /** Bytes of a value, 0 for byte arrays and booleans. */
  readonly width: number;
  readonly value: ValueType;
}

/** A column, or a member of structs, with at most one value a row. */
export interface FlatLeaf extends Leaf {
  /** From the column down to the leaf, each with the level from which on it is not null. */
  readonly path: readonly { readonly name: string; readonly level: number }[];
}

const OPTIONAL = 1;

/** `node`: a leaf, or structs with one member each down to one. */
export function flatLeafOf(node: SchemaNode, value: ValueType): FlatLeaf {
  const path: { name: string; level: number }[] = [];
  let level = 0;
  let leaf = node;
  for (let next: SchemaNode | undefined = node; next !== undefined; next = next.children[0]) {
    leaf = next;
    if (leaf.element.repetition === OPTIONAL) level++;
    path.push({ name: leaf.element.name, level });
  }
  return { path, levelMax: level, repeatMax: 0, ...layoutOf(leaf), value };
}

/** How a leaf's values are laid out, by its element. */
export function layoutOf({ element }: SchemaNode): Pick<Leaf, "physical" | "width"> {
  const { type = -1, typeLength } = element;
  return { physical: type, width: widthOf(type, typeLength) };
}

function widthOf(type: number, typeLength: number): number {
  switch (type) {
    case physicalTypes.int32:
    case physicalTypes.float:
      return 4;
    case physicalTypes.int64:
    case physicalTypes.double:
      return 8;
    case physicalTypes.fixedBytes:
      return typeLength;
    default:
      return 0;
  }
}
