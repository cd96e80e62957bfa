import type { ValueType } from "../../../batch/arrow-node.js";
import type { Source } from "../../source.js";
import { unsupported } from "../../source-errors.js";
import { columnUnsupported, damaged } from "../parquet-errors.js";
import type { SchemaElement } from "./footer.js";
import { valueTypeOf } from "./value-type.js";

/** A column or a part of one. */
export interface SchemaNode {
  readonly element: SchemaElement;
  readonly children: readonly SchemaNode[];
  /** Number among the leaves, which is that of its column chunk. Groups: that of the first leaf. */
  readonly leaf: number;
}

/** Levels of groups; what is deeper cannot be read. */
const DEPTH_MAX = 64;

const convertedTypes = { map: 1, mapKeyValue: 2, list: 3 } as const;
const logicalTypes = { map: 2, list: 3, variant: 16 } as const;
const REPEATED = 2;

/** The columns, in the order of the file. Throws `SourceError` where the tree does not close. */
export function buildSchema(
  elements: readonly SchemaElement[],
  source: Source,
): readonly SchemaNode[] {
  let index = 0;
  let leaf = 0;
  const build = (depth: number): SchemaNode => {
    const element = elements[index++];
    if (element === undefined) throw damaged(source, "its schema is cut off");
    if (depth > DEPTH_MAX) {
      const what = `its columns are nested more than ${DEPTH_MAX} levels deep`;
      throw unsupported(source.name, what, "Write the file again with flatter columns.");
    }
    if (element.childCount <= 0) return { element, children: [], leaf: leaf++ };
    if (element.childCount > elements.length) throw damaged(source, "its schema is cut off");
    const first = leaf;
    const children = Array.from({ length: element.childCount }, () => build(depth + 1));
    return { element, children, leaf: first };
  };
  const root = build(0);
  if (index !== elements.length)
    throw damaged(source, "its schema has more elements than its tree");
  return root.children;
}

/** Whether the node is a plain struct, which a path can enter. */
export function isStruct({ element, children }: SchemaNode): boolean {
  return children.length > 0 && element.repetition !== REPEATED && groupType(element) === undefined;
}

/** Whether the node becomes a JSON array. */
export function isList({ element }: SchemaNode): boolean {
  return element.repetition === REPEATED || groupType(element) === convertedTypes.list;
}

/** Whether a row can have several values of a leaf of this node. */
export function hasRepeated({ element, children }: SchemaNode): boolean {
  return element.repetition === REPEATED || children.some(hasRepeated);
}

/** MAP or LIST as a converted type, or undefined for what has no such meaning. */
export function groupType({ convertedType, logicalType }: SchemaElement): number | undefined {
  if (logicalType?.has(logicalTypes.map)) return convertedTypes.map;
  if (logicalType?.has(logicalTypes.list)) return convertedTypes.list;
  const known: readonly (number | undefined)[] = Object.values(convertedTypes);
  return known.includes(convertedType) ? convertedType : undefined;
}

/** Whether the group is one of LIST or MAP. */
export function groupKind(element: SchemaElement): "list" | "map" | undefined {
  switch (groupType(element)) {
    case convertedTypes.list:
      return "list";
    case convertedTypes.map:
      return "map";
    default:
      return undefined;
  }
}

export function leavesOf(node: SchemaNode): readonly SchemaNode[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(leavesOf);
}

/** What the leaves' values are, in order. Throws `SourceError` naming a column that has no text. */
export function leafTypes(node: SchemaNode, source: Source): readonly ValueType[] {
  const fail = (what: string) => columnUnsupported(source, node.element.name, what);
  const collect = ({ element, children }: SchemaNode): readonly ValueType[] => {
    if (element.logicalType?.has(logicalTypes.variant)) throw fail("a VARIANT");
    if (children.length > 0) return children.flatMap(collect);
    const type = valueTypeOf(element);
    if (typeof type === "string") throw fail(type);
    return [type];
  };
  return collect(node);
}

/**
 * The node with only those members that one of `selections` leads to: paths through structs, the
 * empty one for all of it.
 */
export function prune(
  node: SchemaNode,
  selections: readonly (readonly SchemaNode[])[],
): SchemaNode {
  if (selections.some((selection) => selection.length === 0)) return node;
  const children = node.children.flatMap((child) => {
    const inside = selections.filter((selection) => selection[0] === child);
    return inside.length === 0
      ? []
      : [
          prune(
            child,
            inside.map((selection) => selection.slice(1)),
          ),
        ];
  });
  return { ...node, children };
}
