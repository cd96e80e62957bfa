import { createFieldUse, pathsOf } from "../mapper/field-plan.js";
import type { Mapping, WrittenChanges } from "../mapper/mapping.js";
import type { Preset } from "../mapper/preset.js";
import { presets } from "../mapper/presets.js";
import { type Fields, fieldAt } from "./field-summary.js";
import type { FoundMapping, UnusedField } from "./survey.js";

/**
 * Lists the fields of sampled rows that a mapping does not use, the most filled first. A member is listed
 * only if the mapping uses another part of its object.
 */
export function unusedFields(fields: Fields, mapping: Mapping): readonly UnusedField[] {
  const useOf = createFieldUse(mapping);
  return [...fields.values()]
    .filter(({ path, filled }) => {
      const isWithin = path.length === 1 || useOf(path.slice(0, -1)) === "part";
      return filled > 0 && isWithin && useOf(path) === "none";
    })
    .map(({ path, filled }) => ({ field: path.join("."), path, filled }))
    .sort((one, other) => other.filled - one.filled);
}

/**
 * Returns changes that add the unused columns of the preset's variant to `metadata`, under the preset's
 * names; undefined if the rows have none of them.
 */
export function variantOf(
  found: FoundMapping,
  unused: readonly UnusedField[],
  fields: Fields = new Map(),
): Pick<WrittenChanges, "metadata"> | undefined {
  if (found.kind === "guess") return undefined;
  const { mapping, moreMetadata = [] }: Preset = presets[found.preset];
  // A column of which another target uses a part counts, too.
  const own = unused.flatMap(({ field, path }) => [field, path[0] ?? ""]);
  const columns = [...own, ...membersOf(unused, fields)];
  const chosen = moreMetadata.flatMap((name) => {
    const column = columns.find((one) => one.toLowerCase() === name.toLowerCase());
    if (column === undefined) return [];
    return [column === name ? name : { field: column, name }];
  });
  const written = found.changes?.metadata ?? mapping.metadata;
  if (chosen.length === 0 || !written || Array.isArray(written)) return undefined;
  return { metadata: [written, { fields: chosen }] };
}

/** Returns the paths of filled members of unused objects. */
function membersOf(unused: readonly UnusedField[], fields: Fields): readonly string[] {
  const members = [...fields.values()].map(({ path, filled }) => ({
    name: path.join("."),
    filled,
  }));
  return members
    .filter((one) => one.filled > 0 && unused.some(({ field }) => one.name.startsWith(`${field}.`)))
    .map(({ name }) => name);
}

/**
 * Returns changes that make the unused fields the event's properties, if the rows have no column of the
 * properties that the mapping names, as in exports that were flattened; undefined if they have one.
 */
export function flattenedOf(
  found: FoundMapping,
  fields: Fields,
  mapping: Mapping,
): Pick<WrittenChanges, "metadata"> | undefined {
  if (found.kind !== "preset") return undefined;
  const paths = pathsOf(mapping.metadata);
  const isThere = paths.some((path) => fieldAt(fields, path.slice(0, 1)) !== undefined);
  if (paths.length === 0 || isThere || unusedFields(fields, mapping).length === 0) return undefined;
  return { metadata: { rest: "" } };
}
