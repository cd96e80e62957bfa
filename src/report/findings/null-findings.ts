import { nullTexts } from "../../base/null-texts.js";
import { formatCount, formatNumberOf } from "../quantities.js";
import { cellNames, listFix } from "./configuration-fixes.js";
import { type Facts, type Observation, plainText, quoted, sumOf } from "./observation.js";
import { type KeyUse, keyUses, pathOf } from "./property-uses.js";

/** Texts of ids and of properties made of CSV cells that programs write for null. */
export function findCsvNulls(facts: Facts): readonly Observation[] {
  if (!facts.inputs.sources.some(({ format }) => format === "csv")) return [];
  const ids = facts.identity.junkIDs.map(({ field, value, rows }) => ({
    name: field,
    value,
    rows,
  }));
  const found = [...ids, ...cellUses(facts).flatMap(valuesOf)].filter(
    ({ value, rows }) => rows > 1 && nullTexts.includes(value),
  );
  if (found.length === 0) return [];
  const texts = nullTexts.filter((text) => found.some(({ value }) => value === text));
  const counts = found.map(
    ({ name, value, rows }) => `${name} ${quoted(value)}: ${formatCount(rows)}`,
  );
  const rows = sumOf(found, (one) => one.rows);
  return [
    {
      code: "csv_nulls_as_text",
      title: `${formatNumberOf(rows, "cell")} of CSV inputs ${rows === 1 ? "contains" : "contain"} a text that programs write for null`,
      detail: `${counts.slice(0, 5).join(", ")}. The line makes such cells null in all columns. Leave out texts that are values.`,
      rows,
      fix: listFix(facts, "csvNull", texts),
    },
  ];
}

/** Returns the properties that the mapping makes of whole cells. */
function cellUses(facts: Facts): readonly KeyUse[] {
  const names = { metadata: cellNames(facts, "metadata"), user: cellNames(facts, "user") };
  return keyUses(facts).filter(({ root, key }) => names[root] === "all" || names[root].has(key));
}

function valuesOf(use: KeyUse) {
  return use.uses.flatMap(({ property: { topValues } }) =>
    topValues.map(({ value, rows }) => ({ name: pathOf(use), value: plainText(value), rows })),
  );
}
