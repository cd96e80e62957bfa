import { formatCount } from "../quantities.js";
import type { Facts, Observation } from "./observation.js";

/** Where the report tells less than there is. */
export function findCaps({
  events,
  otherEvents,
  userProperties,
  inputs,
}: Facts): readonly Observation[] {
  const reached = [
    ...(otherEvents.rows > 0
      ? [`event names beyond ${formatCount(events.length)} are counted together`]
      : []),
    ...(events.some(({ properties }) => properties === null)
      ? [
          `properties are told of ${formatCount(events.filter(({ properties }) => properties !== null).length)} event names`,
        ]
      : []),
    ...(events.some(({ properties }) => (properties?.otherKeys.values ?? 0) > 0) ||
    userProperties.otherKeys.values > 0
      ? ["keys beyond the first ones are counted together"]
      : []),
    ...(inputs.sourcesTotal > inputs.sources.length
      ? [
          `only the first ${formatCount(inputs.sources.length)} of ${formatCount(inputs.sourcesTotal)} sources are listed`,
        ]
      : []),
  ];
  if (reached.length === 0) return [];
  return [
    {
      code: "cap_reached",
      title: "The export has more than a report tells one by one",
      detail: `${reached.join("; ")}. Totals hold all of it; only what is said one by one is cut.`,
      rows: otherEvents.rows,
    },
  ];
}
