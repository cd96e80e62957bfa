import type { LeafType } from "../batch/nested-node.js";
import type { Source } from "../sources/source.js";
import { findContradiction } from "./annotations.js";
import { columnDamaged, columnUnsupported } from "./parquet-errors.js";
import type { SchemaNode } from "./schema-tree.js";
import { valueTypeOf, widthOf } from "./value-type.js";

/** A node on the path from a column down to a leaf. */
interface LeafStep {
  readonly kind: SchemaNode["kind"];
  readonly name: string;
  /** Level from which on it is not null. */
  readonly level: number;
  /** Number of lists and maps around it. */
  readonly depth: number;
}

/** A column, or a part of one, whose values are in a column chunk. */
export interface Leaf {
  /** From the column down to the leaf. */
  readonly steps: readonly LeafStep[];
  /** For each list or map on the path, outermost first: the level from which on it has an element. */
  readonly elementLevels: readonly number[];
  /** Level of a value that is not null. */
  readonly levelMax: number;
  /** Number of lists and maps around a value. */
  readonly repeatMax: number;
  /** Index of the column chunk. */
  readonly chunk: number;
  readonly physical: number;
  /** Bytes of a value in a page, 0 for byte arrays and booleans. */
  readonly width: number;
  readonly value: LeafType;
}

type Path = Pick<Leaf, "steps" | "elementLevels"> & { readonly level: number };

/** Field of the union of logical types. */
const VARIANT = 16;

/** Returns the leaves of a column in order. Throws `SourceError` if one of them cannot be read. */
export function leavesOf(column: SchemaNode, source: Source): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const collect = (node: SchemaNode, before: Path): void => {
    const { kind, name, element, children } = node;
    if (node.fault !== undefined) throw columnDamaged(source, column.name, node.fault);
    if (element.logicalType?.has(VARIANT)) {
      throw columnUnsupported(source, column.name, "a VARIANT");
    }
    const level = before.level + (node.optional ? 1 : 0);
    const { elementLevels } = before;
    const steps = [...before.steps, { kind, name, level, depth: elementLevels.length }];
    if (kind === "leaf") {
      const contradiction = findContradiction(element);
      if (contradiction !== null) throw columnDamaged(source, column.name, contradiction);
      const value = valueTypeOf(element);
      if (typeof value === "string") throw columnUnsupported(source, column.name, value);
      const maxima = { levelMax: level, repeatMax: elementLevels.length };
      const layout = { physical: element.type ?? -1, width: widthOf(element), value };
      leaves.push({ steps, elementLevels, ...maxima, chunk: node.leaf, ...layout });
      return;
    }
    const isRepeated = kind === "list" || kind === "map";
    const path = isRepeated
      ? { steps, elementLevels: [...elementLevels, level + 1], level: level + 1 }
      : { steps, elementLevels, level };
    for (const child of children) collect(child, path);
  };
  collect(column, { steps: [], elementLevels: [], level: 0 });
  return leaves;
}
