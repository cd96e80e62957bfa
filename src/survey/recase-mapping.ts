import type { Mapping } from "../mapper/mapping.js";

/** Columns as rows have them, by their names in the preset, where only the case is another. */
export type Recased = Readonly<Record<string, string>>;

/** Members of a mapping that hold one path, and those that hold steps of one where they are a list. */
const pathMembers: ReadonlySet<string> = new Set(["field", "rest"]);

/** Members whose paths begin at the row, as a list of choices. */
const choiceMembers: ReadonlySet<string> = new Set(["fields", "pairs"]);

/**
 * The targets of a preset's mapping that name columns in another case than the rows have them, with
 * the names that the rows have: warehouses write capitals.
 */
export function recaseMapping(preset: Mapping, recased: Recased): Mapping {
  const changes = Object.entries(preset)
    .filter(([target]) => target !== "description")
    .map(([target, value]) => [target, value, recaseChoice(value, recased)] as const)
    .filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after))
    .map(([target, , after]) => [target, after] as const);
  return Object.fromEntries(changes) as Mapping;
}

function recaseChoice(value: unknown, recased: Recased): unknown {
  if (typeof value === "string") return recasePath(value, recased);
  if (Array.isArray(value)) return value.map((choice) => recaseChoice(choice, recased));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (pathMembers.has(name)) return [name, recasePath(inner, recased)];
      return [name, choiceMembers.has(name) ? recaseChoice(inner, recased) : inner];
    }),
  );
}

function recasePath(path: unknown, recased: Recased): unknown {
  if (Array.isArray(path)) {
    const [root, ...steps] = path as readonly string[];
    return root === undefined ? path : [recased[root] ?? root, ...steps];
  }
  if (typeof path !== "string") return path;
  const [root = "", ...steps] = path.split(".");
  return [recased[root] ?? root, ...steps].join(".");
}
