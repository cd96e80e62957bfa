import { formatCount } from "../quantities.js";
import type { Facts, Observation } from "./observation.js";

/** Nothing would be delivered. */
export function findNoEvents({ rows }: Facts): readonly Observation[] {
  if (rows.mapped > 0) return [];
  const why =
    rows.read === 0
      ? "No row was read: look at the inputs."
      : rows.filtered === rows.read
        ? "All rows are filtered: look at includeEvent, excludeEvent, fromTime and toTime."
        : "No row became an event: look at the preset and the mapping.";
  return [
    {
      code: "no_events",
      title: "Not one event would be delivered",
      detail: `${formatCount(rows.read)} rows were read. ${why}`,
      rows: rows.read,
    },
  ];
}

/** Sources that could not be read to their end. */
export function findFailedSources({ inputs }: Facts): readonly Observation[] {
  return inputs.sources.flatMap(({ name, failure }) => {
    if (failure === undefined) return [];
    return [
      {
        code: "source_failed" as const,
        title: `${name} could not be read to its end`,
        detail:
          `${failure.message} (${failure.code}). Rows before the place are in the report; no configuration ` +
          "brings back the others.",
        rows: 0,
      },
    ];
  });
}
