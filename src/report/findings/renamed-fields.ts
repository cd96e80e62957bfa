import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { furtherFieldFix } from "./configuration-fixes.js";
import { type Observation, quoted, type ReportedFacts } from "./observation.js";

/** Fields that rows have instead of those that the mapping names, such as after a change of the tracking. */
export function findRenamed(facts: ReportedFacts): readonly Observation[] {
  return facts.renamedFields.map(({ target, path, rows, lacking, isExact, isSure, first }) => {
    const { source, row, byte } = first;
    const place =
      row !== undefined
        ? `row ${row} of ${source}`
        : byte !== undefined
          ? `byte ${byte} of ${source}`
          : source;
    const about = isExact ? "" : "about ";
    const field = quoted(path.join("."));
    return {
      code: "field_renamed" as const,
      title: `${target} is probably in ${field} in ${about}${formatCount(rows)} rows, and is lost there`,
      detail:
        `${isExact ? formatCount(lacking) : `About ${formatCount(lacking)}`} rows have no value for ${target}; ` +
        `${formatShare(rows, lacking)} of them have the field ${field}, which other rows do not have, and which the ` +
        `mapping does not use for it. The first${isExact ? "" : " of those looked at"} is ${place}. The line also reads that field; check it first if the names differ.`,
      rows,
      fix: furtherFieldFix(facts, target, path, isSure),
    };
  });
}
