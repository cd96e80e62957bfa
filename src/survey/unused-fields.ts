import { createFieldUse } from "../mapper/field-use.js";
import type { Mapping, WrittenChanges } from "../mapper/mapping.js";
import type { Preset } from "../mapper/preset.js";
import { presets } from "../mapper/presets.js";
import type { Fields } from "./field-summary.js";
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
    .map(({ path, filled }) => ({ field: path.join("."), filled }))
    .sort((one, other) => other.filled - one.filled);
}

/**
 * Returns changes that add the unused columns of the preset's variant to `metadata`, under the preset's
 * names; undefined if the rows have none of them.
 */
export function variantOf(
  found: FoundMapping,
  unused: readonly UnusedField[],
): WrittenChanges | undefined {
  if (found.kind === "guess") return undefined;
  const { mapping, moreMetadata = [] }: Preset = presets[found.preset];
  const fields = moreMetadata.flatMap((name) => {
    const column = unused.find(({ field }) => field.toLowerCase() === name.toLowerCase())?.field;
    if (column === undefined) return [];
    return [column === name ? name : { field: column, name }];
  });
  const written = found.changes?.metadata ?? mapping.metadata;
  if (fields.length === 0 || typeof written !== "string") return undefined;
  return { metadata: [written, { fields }] };
}
