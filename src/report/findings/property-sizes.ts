import { formatBytes } from "../quantities.js";
import { findLargeEvents } from "./event-sizes.js";
import type { Facts, Observation } from "./observation.js";
import { type KeyUse, keyUses, onlyEvent, pathOf } from "./property-places.js";
import { listFix } from "./recorded-options.js";
import { VALUE_BYTES_CUT, VALUE_BYTES_REFUSED } from "./thresholds.js";
import { quoted } from "./words.js";

/** Values that platforms cut, or refuse together with their event. */
export function findLongValues(facts: Facts): readonly Observation[] {
  const explained = new Set(findLargeEvents(facts).map(({ property }) => property));
  return keyUses(facts).flatMap((use): readonly Observation[] => {
    const max = Math.max(...use.uses.map(({ property }) => property.bytes.max));
    if (max <= VALUE_BYTES_CUT) return [];
    const path = pathOf(use);
    if (explained.has(path)) return [];
    const long = use.uses.filter(({ property }) => property.bytes.max > VALUE_BYTES_CUT);
    const about = { ...onlyEvent(long), property: path, rows: rowsOf(long) };
    if (max <= VALUE_BYTES_REFUSED) {
      return [
        {
          ...{ code: "property_long" as const, ...about },
          title: `Values of ${quoted(path)} are up to ${formatBytes(max)} long`,
          detail:
            `Platforms commonly cut text after ${formatBytes(VALUE_BYTES_CUT)}. Rows are those of the events ` +
            "that have the property; their mean is shorter.",
        },
      ];
    }
    return [
      {
        ...{ code: "property_too_long" as const, ...about },
        title: `Values of ${quoted(path)} are up to ${formatBytes(max)} long`,
        detail:
          `Platforms commonly refuse values beyond ${formatBytes(VALUE_BYTES_REFUSED)}, and events with them. ` +
          "The line leaves out the property, in all events.",
        fix: listFix(facts, "drop", [path]),
      },
    ];
  });
}

function rowsOf(uses: KeyUse["uses"]): number {
  return uses.reduce((sum, { property }) => sum + property.rows, 0);
}
