import { arrowTypes, type ValueType } from "../../../batch/arrow-node.js";
import { groupKind, isStruct, type SchemaNode } from "../footer/schema-tree.js";
import { type Leaf, layoutOf } from "./flat-leaf.js";

/** A group on the way from a column down to a leaf, or the leaf itself. */
export interface NestedStep {
  readonly kind: "struct" | "list" | "map" | "leaf";
  readonly name: string;
  /** Level from which on it is not null. */
  readonly level: number;
  /** Lists and maps around it. */
  readonly depth: number;
}

/** A leaf inside of lists or maps. */
export interface NestedLeaf extends Leaf {
  /** From the column down to the leaf. */
  readonly steps: readonly NestedStep[];
  /** Of each list or map on the way, outermost first: the level from which on it has an element. */
  readonly elementLevels: readonly number[];
}

const OPTIONAL = 1;
const REPEATED = 2;

/**
 * The leaves of a column in order, or undefined where it has groups in another form than the one that
 * the format asks writers for today: how those are to be understood, the library knows.
 */
export function nestedLeavesOf(
  column: SchemaNode,
  types: readonly ValueType[],
): readonly NestedLeaf[] | undefined {
  const leaves: NestedLeaf[] = [];
  const begin: Way = { steps: [], elementLevels: [], level: 0 };
  return collect(column, begin, types, leaves) ? leaves : undefined;
}

interface Way {
  readonly steps: readonly NestedStep[];
  readonly elementLevels: readonly number[];
  readonly level: number;
}

function collect(
  node: SchemaNode,
  way: Way,
  types: readonly ValueType[],
  leaves: NestedLeaf[],
): boolean {
  const { element, children } = node;
  if (element.repetition === REPEATED) return false;
  const level = way.level + (element.repetition === OPTIONAL ? 1 : 0);
  const { elementLevels } = way;
  const on = (kind: NestedStep["kind"]): Way => {
    const step = { kind, name: element.name, level, depth: elementLevels.length };
    return { steps: [...way.steps, step], elementLevels, level };
  };
  if (children.length === 0) {
    const value = types[leaves.length];
    if (value === undefined || value.type === arrowTypes.null) return false;
    const { steps } = on("leaf");
    const maxima = { levelMax: level, repeatMax: elementLevels.length };
    leaves.push({ steps, elementLevels, ...maxima, ...layoutOf(node), value });
    return true;
  }
  if (isStruct(node)) {
    const inside = on("struct");
    return children.every((child) => collect(child, inside, types, leaves));
  }
  const members = membersOf(node);
  const kind = groupKind(element);
  if (members === undefined || kind === undefined) return false;
  const inside = on(kind);
  const next = { ...inside, elementLevels: [...elementLevels, level + 1], level: level + 1 };
  return members.every((member) => collect(member, next, types, leaves));
}

// LIST: optional group { repeated group list { element } }. MAP: … { repeated group { key, value } }.
function membersOf({ element, children }: SchemaNode): readonly SchemaNode[] | undefined {
  const [group] = children;
  if (group === undefined || children.length > 1 || group.element.repetition !== REPEATED) {
    return undefined;
  }
  const members = group.children;
  if (groupKind(element) === "map") {
    const names = new Set(members.map((member) => member.element.name));
    return members.length === 2 && names.size === 2 ? members : undefined;
  }
  const { name } = group.element;
  const old = name === "array" || name === `${element.name}_tuple`;
  return members.length === 1 && !old ? members : undefined;
}
