import type { FieldRequest } from "../batch/batch.js";
import { nodeTypes } from "../batch/nested-node.js";
import { prune, type SchemaNode } from "./schema-tree.js";
import { isJsonText, valueTypeOf } from "./value-type.js";

/** A column whose values are used only in rows where a text is null or empty. */
interface Fallback {
  /** Indexes of the column and of that of the text among the columns. */
  readonly column: number;
  readonly of: number;
}

/** The origin of a requested field's cells. */
export type CellSource =
  /** No such column: every cell is null. */
  | { readonly kind: "missing" }
  /** The value at `path`; with `isDecoded`, of a text that is a JSON scalar the value of that. */
  | {
      readonly kind: "value";
      readonly path: NodePath;
      readonly json: boolean;
      readonly isDecoded: boolean;
      /** Index of the field whose text must be null or empty for the value to be used. */
      readonly fallbackOf?: number;
    }
  /**
   * An object of members of the struct at `path`. If `path` is null: of the columns that are not null in
   * the row.
   */
  | {
      readonly kind: "object";
      readonly path: NodePath | null;
      readonly members: readonly string[];
    }
  /** A path that continues inside the JSON or the text of the value at `path`. */
  | { readonly kind: "inside"; readonly path: NodePath; readonly request: FieldRequest };

/** Names from a column down to a member, through structs. */
export type NodePath = readonly [string, ...string[]];

export interface Projection {
  /** Columns that must be read, each with only the requested members. */
  readonly columns: readonly SchemaNode[];
  /** One for each request. */
  readonly fields: readonly CellSource[];
  readonly fallbacks: readonly Fallback[];
}

/** Plans what to read for the requests. Of several columns with the same name the first counts. */
export function planProjection(
  schema: readonly SchemaNode[],
  requests: readonly FieldRequest[],
): Projection {
  const byName = new Map<string, SchemaNode>();
  for (const column of schema) {
    if (!byName.has(column.name)) byName.set(column.name, column);
  }
  const selections = new Map<SchemaNode, (readonly SchemaNode[])[]>();
  const select = ([column, ...members]: readonly SchemaNode[]) => {
    if (column === undefined) return;
    const known = selections.get(column);
    if (known === undefined) selections.set(column, [members]);
    else known.push(members);
  };
  const planned = requests.map((request) => planField(byName, request, select));
  // In the order of the file, so that objects of columns have it too.
  const columns = [...byName.values()].flatMap((column) => {
    const selected = selections.get(column);
    return selected === undefined ? [] : [prune(column, selected)];
  });
  const isText = (field: CellSource | undefined): field is TextSource =>
    field?.kind === "value" &&
    field.path.length === 1 &&
    !field.json &&
    !field.isDecoded &&
    isTextColumn(byName.get(field.path[0]));
  const column = ({ path: [name] }: TextSource) => columns.findIndex((one) => one.name === name);
  const fallbacks: Fallback[] = [];
  const fields = planned.map((field, index): CellSource => {
    const { fallbackOf } = requests[index] as FieldRequest;
    if (fallbackOf === undefined || !isText(field)) return field;
    const of = requests.findIndex((one) => isTextAt(one, fallbackOf));
    const first = planned[of];
    // A column that another field has as well is read in all rows.
    const uses = selections.get(byName.get(field.path[0]) as SchemaNode)?.length;
    if (!isText(first) || of >= index || uses !== 1) return field;
    fallbacks.push({ column: column(field), of: column(first) });
    return { ...field, fallbackOf: of };
  });
  return { columns, fields, fallbacks };
}

type TextSource = Extract<CellSource, { readonly kind: "value" }>;

function isTextAt({ path, form, fallbackOf }: FieldRequest, at: readonly string[]): boolean {
  const isSame = path.length === at.length && path.every((step, index) => step === at[index]);
  return form === "text" && fallbackOf === undefined && isSame;
}

function isTextColumn(column: SchemaNode | undefined): boolean {
  if (column?.kind !== "leaf") return false;
  const type = valueTypeOf(column.element);
  return typeof type !== "string" && type.type === nodeTypes.text;
}

function planField(
  columns: ReadonlyMap<string, SchemaNode>,
  request: FieldRequest,
  select: (nodes: readonly SchemaNode[]) => void,
): CellSource {
  if (request.path.length === 0) {
    const members = [...columns.keys()].filter((name) => !request.except?.includes(name));
    for (const name of members) select(nodesAt(columns, [name]));
    return { kind: "object", path: null, members };
  }
  const nodes = nodesAt(columns, request.path);
  const node = nodes.at(-1);
  if (node === undefined) return { kind: "missing" };
  const path = nodes.map(({ name }) => name) as unknown as NodePath;
  const rest = path.length === 1 && path[0] === request.path.join(".") ? [] : undefined;
  const steps = rest ?? request.path.slice(nodes.length);
  if (node.kind === "struct") {
    if (steps.length > 0) return { kind: "missing" };
    if (request.form === "rest") return planRest(nodes, path, request.except ?? [], select);
  }
  // No path leads into a list.
  if (steps.length > 0 && node.kind === "list") return { kind: "missing" };
  select(nodes);
  if (steps.length > 0 || request.form === "rest") {
    return { kind: "inside", path, request: { ...request, path: steps } };
  }
  const json = request.form === "json";
  const isDecoded = node.kind === "leaf" && isJsonText(node.element);
  return {
    kind: "value",
    path,
    json,
    isDecoded: isDecoded && (!json || request.isScalar === true),
  };
}

function planRest(
  nodes: readonly SchemaNode[],
  path: NodePath,
  except: readonly string[],
  select: (nodes: readonly SchemaNode[]) => void,
): CellSource {
  const members = (nodes.at(-1)?.children ?? []).filter(({ name }) => !except.includes(name));
  for (const member of members) select([...nodes, member]);
  // The struct can be null, so it is read even without members.
  if (members.length === 0) select(nodes);
  const names = members.map(({ name }) => name);
  return { kind: "object", path, members: names };
}

/** Returns the nodes of the path as far as it leads through structs; none if a name is missing. */
function nodesAt(
  columns: ReadonlyMap<string, SchemaNode>,
  path: readonly string[],
): readonly SchemaNode[] {
  const joined = columns.get(path.join("."));
  if (joined !== undefined) return [joined];
  const [first = "", ...steps] = path;
  const nodes: SchemaNode[] = [];
  for (let node = columns.get(first); node !== undefined; ) {
    nodes.push(node);
    const step = steps[nodes.length - 1];
    if (step === undefined || node.kind !== "struct") return nodes;
    node = node.children.find(({ name }) => name === step);
  }
  return [];
}
