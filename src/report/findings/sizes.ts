import { sum } from "../../base/sum.js";
import { formatBytes, formatNumberOf } from "../quantities.js";
import { listFix } from "./configuration-fixes.js";
import { type Observation, quoted, type ReportedFacts } from "./observation.js";
import { keyUses, onlyEvent, pathOf, propertySets } from "./property-uses.js";
import { EVENT_BYTES_USUAL_MAX, VALUE_BYTES_CUT, VALUE_BYTES_REFUSED } from "./thresholds.js";

/** Events that are larger than services usually accept. */
export function findLargeEvents(facts: ReportedFacts): Observation | readonly Observation[] {
  const large = facts.sizes.largest.filter(({ bytes }) => bytes > EVENT_BYTES_USUAL_MAX);
  const [largest] = large;
  if (largest === undefined) return [];
  const position = `${largest.source}${largest.row === undefined ? "" : `, row ${largest.row}`}`;
  const path = largestProperty(facts, largest.event, largest.bytes);
  const isAll = large.length < facts.sizes.largest.length;
  return {
    code: "event_too_large",
    title: `${isAll ? "" : "At least "}${formatNumberOf(large.length, "event")} ${large.length === 1 ? "is" : "are"} larger than services usually accept`,
    detail:
      `The largest has ${formatBytes(largest.bytes)}: a ${quoted(largest.event)} from ${position}. Hosted services ` +
      `usually accept at most ${formatBytes(EVENT_BYTES_USUAL_MAX)}, the service of this tool 8 MiB. An export ` +
      `to files keeps it.${path === undefined ? "" : " The line leaves out the property that makes it large."}`,
    rows: large.length,
    event: largest.event,
    property: path,
    fix: path === undefined ? undefined : listFix(facts, "drop", [path]),
  };
}

/** The property that can be more than half of an event's bytes. */
function largestProperty(facts: ReportedFacts, event: string, bytes: number): string | undefined {
  const found = propertySets(facts)
    .filter((set) => set.event === event || set.event === undefined)
    .flatMap(({ root, properties }) =>
      properties.keys.map(({ key, bytes: { max } }) => ({ path: pathOf({ root, key }), max })),
    )
    .filter(({ max }) => max > bytes / 2 && max <= bytes)
    .sort((one, other) => other.max - one.max);
  return found[0]?.path;
}

/** Values that platforms cut, or refuse together with their event. */
export function findLongValues(facts: ReportedFacts): readonly Observation[] {
  const explained = new Set([findLargeEvents(facts)].flat().map(({ property }) => property));
  return keyUses(facts).flatMap((use) => {
    const path = pathOf(use);
    const long = use.uses.filter(({ property }) => property.bytes.max > VALUE_BYTES_CUT);
    if (long.length === 0 || explained.has(path)) return [];
    const max = Math.max(...long.map(({ property }) => property.bytes.max));
    const isRefused = max > VALUE_BYTES_REFUSED;
    return {
      code: isRefused ? ("property_too_long" as const) : ("property_long" as const),
      event: onlyEvent(long),
      property: path,
      rows: sum(long, ({ property }) => property.rows),
      title: `Values of ${quoted(path)} have up to ${formatBytes(max)}`,
      detail: isRefused
        ? `Platforms commonly refuse events with values of more than ${formatBytes(VALUE_BYTES_REFUSED)}. ` +
          "The line leaves out the property in all events."
        : `Platforms commonly cut text after ${formatBytes(VALUE_BYTES_CUT)}. The row count includes all events ` +
          "that have the property; most of their values are shorter.",
      fix: isRefused ? listFix(facts, "drop", [path]) : undefined,
    };
  });
}
