import { formatShare } from "../../base/format-share.js";
import { cutEnd } from "../terminal-text.js";
import { fixOf, writtenObject } from "./configuration-fixes.js";
import type { Observation, ReportedFacts } from "./observation.js";

/** Most fields that the finding names, and that its line keeps. */
const FIELDS_SHOWN = 60;

/** Most columns of a name in the finding. */
const NAME_COLUMNS = 80;

/** Fields with values that no target of the mapping uses. */
export function findUnmappedFields(facts: ReportedFacts): readonly Observation[] {
  const { unusedFields, rows } = facts;
  if (unusedFields.length === 0 || rows.mapped === 0) return [];
  const names = unusedFields
    .slice(0, FIELDS_SHOWN)
    .map(({ field, share }) => `${cutEnd(field, NAME_COLUMNS)} ${formatShare(share, 1)}`);
  const more = unusedFields.length - names.length;
  const metadata = writtenObject(facts, "metadata");
  const fields = unusedFields.slice(0, FIELDS_SHOWN).map(({ field }) => field);
  return [
    {
      code: "fields_unmapped",
      title: `${unusedFields.length === 1 ? "1 field goes" : `${unusedFields.length} fields go`} nowhere, such as ${cutEnd(fields[0] ?? "", NAME_COLUMNS)}`,
      detail:
        `No target of the mapping uses them. With the share of sampled rows that have a value: ${names.join(", ")}` +
        `${more > 0 ? ` and ${more} more` : ""}. The line keeps these fields among the event's properties: ` +
        "remove those that you do not need.",
      rows: rows.mapped,
      fix:
        metadata === undefined
          ? undefined
          : fixOf(["mapping", "metadata"], [...metadata, { fields: withNames(fields) }], false),
    },
  ];
}

/** Gives the whole path as name to fields that share their last name with another one. */
function withNames(fields: readonly string[]): readonly unknown[] {
  const lastOf = (field: string) => field.split(".").at(-1) ?? "";
  return fields.map((field) =>
    fields.some((other) => other !== field && lastOf(other) === lastOf(field))
      ? { field, name: field }
      : field,
  );
}
