import type { Source } from "../sources/source.js";
import { unsupported } from "../sources/source-errors.js";
import type { SchemaElement } from "./footer.js";
import { damaged } from "./parquet-errors.js";

/** A column or a part of one. Lists and maps have one form here, however the file writes them. */
export interface SchemaNode {
  readonly kind: "leaf" | "struct" | "list" | "map";
  readonly name: string;
  readonly element: SchemaElement;
  /** True if the value itself can be null. */
  readonly optional: boolean;
  /** Members of a struct, the element of a list, or the key and the value of a map. */
  readonly children: readonly SchemaNode[];
  /** Leaves: the index of the column chunk. */
  readonly leaf: number;
  /** The fault of a group that cannot be read. */
  readonly fault?: string;
}

/** An element of the file's schema with its children. */
interface ElementNode {
  readonly element: SchemaElement;
  readonly children: readonly ElementNode[];
  readonly leaf: number;
}

/** Levels of groups. */
const DEPTH_MAX = 64;

/** FieldRepetitionType of parquet.thrift. */
const repetitions = { required: 0, optional: 1, repeated: 2 } as const;
const convertedTypes = { map: 1, mapKeyValue: 2, list: 3 } as const;
const logicalTypes = { map: 2, list: 3 } as const;

/** Returns the columns in the order of the file. Throws `SourceError` if the tree is not complete. */
export function buildSchema(
  elements: readonly SchemaElement[],
  source: Source,
): readonly SchemaNode[] {
  let index = 0;
  let leaf = 0;
  const build = (depth: number): ElementNode => {
    const element = elements[index++];
    if (element === undefined) throw damaged(source, "its schema is cut off");
    if (depth > DEPTH_MAX) {
      const what = `its columns are nested more than ${DEPTH_MAX} levels deep`;
      throw unsupported(source.name, what, "Write the file again with flatter columns.");
    }
    if (element.childCount <= 0) return { element, children: [], leaf: leaf++ };
    if (element.childCount > elements.length) throw damaged(source, "its schema is cut off");
    const children = Array.from({ length: element.childCount }, () => build(depth + 1));
    return { element, children, leaf: -1 };
  };
  const root = build(0);
  if (index !== elements.length)
    throw damaged(source, "its schema has more elements than its tree");
  return root.children.map(nodeOf);
}

/** A repeated field that is not the inside of a list or a map is a list of its own. */
function nodeOf(from: ElementNode): SchemaNode {
  const { element } = from;
  if (!isRepeated(from)) return nodeOfValue(from, element.repetition === repetitions.optional);
  const { name } = element;
  const children = [nodeOfValue(from, false)];
  return { kind: "list", name, element, optional: false, children, leaf: -1 };
}

/** Reads an element without regard to its repetition. */
function nodeOfValue(from: ElementNode, optional: boolean): SchemaNode {
  const { element, children, leaf } = from;
  const node = { name: element.name, element, optional, leaf };
  if (children.length === 0) return { ...node, kind: "leaf", children: [] };
  const kind = groupKind(element);
  if (kind === "struct") return { ...node, kind, children: children.map(nodeOf) };
  const [inside] = children;
  if (inside === undefined || children.length > 1 || !isRepeated(inside)) {
    const fault = `it is a ${kind.toUpperCase()} without one repeated field`;
    return { ...node, kind: "struct", children: children.map(nodeOf), fault };
  }
  if (kind === "list" || inside.children.length === 1) {
    return { ...node, kind: "list", children: [listElement(from, inside)] };
  }
  const [key, value] = inside.children;
  if (key === undefined || value === undefined || inside.children.length > 2) {
    const fault = "it is a MAP whose entries are not a key and a value";
    return { ...node, kind: "struct", children: [nodeOf(inside)], fault };
  }
  const members = [
    { ...nodeOf(key), name: "key" },
    { ...nodeOf(value), name: "value" },
  ];
  return { ...node, kind, children: members };
}

/**
 * Returns the element of a list. In old files the repeated field is the element itself, by the format's
 * rules for backward compatibility:
 * https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#backward-compatibility-rules
 */
function listElement({ element }: ElementNode, inside: ElementNode): SchemaNode {
  const [only] = inside.children;
  const { name } = inside.element;
  const isElement =
    only === undefined ||
    inside.children.length > 1 ||
    name === "array" ||
    name === `${element.name}_tuple`;
  return isElement ? nodeOfValue(inside, false) : nodeOf(only);
}

function isRepeated({ element }: ElementNode): boolean {
  return element.repetition === repetitions.repeated;
}

/** Returns the meaning of a group by its logical type, or else its converted type. */
function groupKind({ convertedType, logicalType }: SchemaElement): "struct" | "list" | "map" {
  if (logicalType?.has(logicalTypes.map)) return "map";
  if (logicalType?.has(logicalTypes.list)) return "list";
  switch (convertedType) {
    case convertedTypes.map:
    case convertedTypes.mapKeyValue:
      return "map";
    case convertedTypes.list:
      return "list";
    default:
      return "struct";
  }
}

/**
 * Returns the node with only those members that one of `selections` leads to. A selection is a path
 * through structs; the empty one selects everything.
 */
export function prune(
  node: SchemaNode,
  selections: readonly (readonly SchemaNode[])[],
): SchemaNode {
  if (selections.some((selection) => selection.length === 0)) return node;
  const children = node.children.flatMap((child) => {
    const inside = selections
      .filter((selection) => selection[0] === child)
      .map((selection) => selection.slice(1));
    return inside.length === 0 ? [] : [prune(child, inside)];
  });
  return { ...node, children };
}
