import { formatNumberOf } from "../quantities.js";
import { describeMissing } from "../summary-parts.js";
import { type Facts, type Observation, quotedList } from "./observation.js";

/** Mapped fields that are null in all rows of some or all sources. */
export function findMissingFields({ missingFields }: Facts): readonly Observation[] {
  return missingFields.map((missing) => ({
    code: "field_missing",
    title: describeMissing(missing),
    detail:
      `${formatNumberOf(missing.rows, "row")} of ${formatNumberOf(missing.sources, "source")} have no value there: ` +
      `${quotedList(missing.names)}. Check the spelling in the mapping. If these sources use another name, ` +
      "map both names as a list: the first field with a value is used. " +
      `If the field is missing on purpose, set ${missing.target} to null.`,
    rows: missing.rows,
  }));
}
