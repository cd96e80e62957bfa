import type { ReportProperty } from "../../profile/report.js";
import { formatNumberOf } from "../quantities.js";
import { bulkOf } from "./day-counts.js";
import { type Facts, type Observation, quoted, quotedList, sumOf } from "./observation.js";

/** Share of its events that had the property. */
const FILL_MIN = 0.5;

/** Expected number of later values from which on their absence is not chance. */
const MISSING_VALUES_MIN = 30;
const DAYS_BEFORE_MIN = 3;
const DAYS_AFTER_MIN = 2;

interface Vanished {
  readonly event: string;
  readonly key: string;
  readonly last: string;
  /** Events on later days. */
  readonly rows: number;
  /** Keys whose first value is about as late. */
  readonly successors: readonly string[];
}

/** Properties that most events of a name had until some day, and none has later. */
export function findVanishedProperties({ days, events }: Facts): readonly Observation[] {
  const { start, end } = bulkOf(days);
  // If all of `metadata` is empty, the whole object vanished and not its keys.
  const known = days
    .slice(start, end)
    .filter(({ events: all, empty }) => all > 0 && empty.metadata < all);
  const groups = new Map<string, Vanished[]>();
  for (const [index, { event, properties }] of events.entries()) {
    if (properties === null) continue;
    const rows = known.map(({ byEvent }) => byEvent.find(([one]) => one === index)?.[1] ?? 0);
    const eventDays = known.map(({ day }, place) => ({ day, rows: rows[place] ?? 0 }));
    for (const one of vanishedOf(event, properties.keys, eventDays)) {
      const group = JSON.stringify([one.key, one.last]);
      groups.set(group, [...(groups.get(group) ?? []), one]);
    }
  }
  return [...groups.values()].map(describe);
}

interface EventDay {
  readonly day: string;
  readonly rows: number;
}

function vanishedOf(
  event: string,
  keys: readonly ReportProperty[],
  eventDays: readonly EventDay[],
): readonly Vanished[] {
  const days = eventDays.filter(({ rows }) => rows > 0);
  return keys.flatMap(({ key, days: range, rows, types }) => {
    const last = range?.last ?? "";
    const later = days.findIndex(({ day }) => day > last);
    if (range === null || later < DAYS_BEFORE_MIN || days.length - later < DAYS_AFTER_MIN)
      return [];
    const before = sumOf(days.slice(0, later), (one) => one.rows);
    const after = sumOf(days.slice(later), (one) => one.rows);
    const fill = Math.min(1, (rows - (types.null ?? 0)) / before);
    if (fill < FILL_MIN || fill * after < MISSING_VALUES_MIN) return [];
    const next = days[later]?.day ?? "";
    const successors = keys
      .filter((other) => {
        const first = other.days?.first ?? "";
        return first >= last && first <= next;
      })
      .map((other) => other.key);
    return [{ event, key, last, rows: after, successors }];
  });
}

function describe(same: readonly Vanished[]): Observation {
  const [{ event, key, last } = { event: "", key: "", last: "" }] = same;
  const rows = sumOf(same, (one) => one.rows);
  const successors = [...new Set(same.flatMap((one) => one.successors))];
  return {
    code: "property_vanished",
    title: `Property ${quoted(key)} was last seen on ${last}`,
    detail:
      `Most events had it until then, and none of the ${formatNumberOf(rows, "later event")}: ` +
      `${quotedList(same.map((one) => one.event))}. It was probably renamed or removed; metrics on it end there.` +
      (successors.length === 0 ? "" : ` First seen then: ${quotedList(successors)}.`),
    rows,
    event: same.length === 1 ? event : undefined,
    property: key,
    day: last,
  };
}
