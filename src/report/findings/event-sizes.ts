import { formatBytes, formatNumberOf } from "../quantities.js";
import type { Facts, Observation } from "./observation.js";
import { propertySets } from "./property-places.js";
import { listFix } from "./recorded-options.js";
import { EVENT_BYTES_USUAL_MAX } from "./thresholds.js";
import { quoted } from "./words.js";

/** Events that are larger than services usually take. */
export function findLargeEvents(facts: Facts): readonly Observation[] {
  const large = facts.sizes.largest.filter(({ bytes }) => bytes > EVENT_BYTES_USUAL_MAX);
  const [largest] = large;
  if (largest === undefined) return [];
  const place = `${largest.source}${largest.row === undefined ? "" : `, row ${largest.row}`}`;
  const path = largestProperty(facts, largest.event, largest.bytes);
  const isAll = large.length < facts.sizes.largest.length;
  return [
    {
      code: "event_too_large",
      title: `${isAll ? "" : "At least "}${formatNumberOf(large.length, "event")} ${large.length === 1 ? "is" : "are"} larger than services usually take`,
      detail:
        `The largest is ${formatBytes(largest.bytes)}, a ${quoted(largest.event)} from ${place}; hosted services ` +
        `usually take up to ${formatBytes(EVENT_BYTES_USUAL_MAX)}, the service of this tool 8 MiB. An export ` +
        `to files keeps it.${path === undefined ? "" : " The line leaves out the property that makes it so large."}`,
      ...{ rows: large.length, event: largest.event },
      ...(path === undefined ? {} : { property: path, fix: listFix(facts, "drop", [path]) }),
    },
  ];
}

/** The property that more than half of an event's bytes can be. */
function largestProperty(facts: Facts, event: string, bytes: number): string | undefined {
  const found = propertySets(facts)
    .filter((set) => set.event === event || set.event === undefined)
    .flatMap(({ properties, ...set }) =>
      properties.keys.map(({ key, bytes: { max } }) => ({
        path: `${set.event === undefined ? "user" : "metadata"}.${key}`,
        max,
      })),
    )
    .filter(({ max }) => max > bytes / 2 && max <= bytes)
    .sort((one, other) => other.max - one.max);
  return found[0]?.path;
}
