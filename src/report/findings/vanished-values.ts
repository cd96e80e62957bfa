import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { sum } from "../../base/sum.js";
import type { ReportDay, ReportProperty } from "../../profile/report.js";
import { profiledTargets } from "../../profile/split-profile.js";
import { formatNumberOf } from "../quantities.js";
import { bulkOf, type IndexRun, median, runsOf } from "./day-counts.js";
import { type Observation, quoted, quotedList, type ReportedFacts } from "./observation.js";

type Target = (typeof profiledTargets)[number];

/** Share of the usual values below which a target counts as empty: a few events have wrong times. */
const EMPTY_SHARE = 0.02;

/** Expected number of values from which on a time without any is not chance. */
const MISSING_VALUES_MIN = 30;

/** Least days with values and without; with fewer, nothing is reported. */
const FILLED_DAYS_MIN = 3;
const EMPTY_DAYS_MIN = 2;

/** Most gaps of one target; more gaps are usual for it and not a change of the export. */
const TIMES_MAX = 3;

/** Targets with values on most days and none for some time, as if a field was renamed in some files. */
export function findVanishedFields(facts: ReportedFacts): readonly Observation[] {
  const { start, end } = bulkOf(facts.days);
  const days = facts.days.slice(start, end).filter(({ events }) => events > 0);
  return profiledTargets.flatMap((target) => {
    const times = emptyTimesOf(days, target);
    return times.length > TIMES_MAX
      ? []
      : times.map((time) => describeField(facts, days, target, time));
  });
}

const filledOf = (day: ReportDay, target: Target) => day.events - day.empty[target];

/** Returns the ranges of days on which a target has almost no values. */
function emptyTimesOf(days: readonly ReportDay[], target: Target): readonly IndexRun[] {
  const shares = days.map((day) => filledOf(day, target) / day.events);
  const highest = Math.max(...shares, 0);
  const usual = median(shares.filter((share) => share >= highest / 4));
  const isEmpty = shares.map((share) => share <= usual * EMPTY_SHARE);
  const filled = days.filter((_, index) => isEmpty[index] === false);
  if (filled.length < FILLED_DAYS_MIN) return [];
  return runsOf(isEmpty).filter(({ start, end }) => {
    const empty = days.slice(start, end);
    const expected = leastValuesExpected(filled, empty, target);
    const values = sum(empty, (day) => filledOf(day, target));
    return (
      end - start >= EMPTY_DAYS_MIN &&
      expected >= MISSING_VALUES_MIN &&
      values <= expected * EMPTY_SHARE
    );
  });
}

/**
 * Returns the least number of values that the empty days would have if each event name had as large a share
 * of values as on the filled days. The report does not say which names have the values. The names that are
 * rarest on the empty days are assumed: otherwise a name that ends would look like a field that vanishes.
 */
function leastValuesExpected(
  filled: readonly ReportDay[],
  empty: readonly ReportDay[],
  target: Target,
): number {
  const [before, after] = [rowsByName(filled), rowsByName(empty)];
  const names = [...before].map(([name, rows]) => ({ rows, rate: (after.get(name) ?? 0) / rows }));
  let left = sum(filled, (day) => filledOf(day, target));
  let expected = 0;
  for (const { rows, rate } of names.sort((one, other) => one.rate - other.rate)) {
    const values = Math.min(left, rows);
    expected += values * rate;
    left -= values;
  }
  return expected;
}

/** Index of all names together that a report does not list. */
const OTHERS = -1;

function rowsByName(days: readonly ReportDay[]): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  for (const { events, byEvent } of days) {
    const others = events - sum(byEvent, ([, count]) => count);
    for (const [index, count] of [...byEvent, [OTHERS, others] as const]) {
      if (count > 0) rows.set(index, (rows.get(index) ?? 0) + count);
    }
  }
  return rows;
}

function describeField(
  { unusedFields }: ReportedFacts,
  days: readonly ReportDay[],
  target: Target,
  { start, end }: IndexRun,
): Observation {
  const empty = days.slice(start, end);
  const others = days.filter((_, index) => index < start || index >= end);
  const rows = sum(empty, (day) => day.empty[target]);
  const events = sum(others, (day) => day.events);
  const values = sum(others, (day) => filledOf(day, target));
  const [first, last, next] = [days[start]?.day, days[end - 1]?.day, days[end]?.day];
  const when =
    next === undefined
      ? `from ${first} on`
      : start > 0
        ? `from ${first} to ${last}`
        : `before ${next}`;
  const unused = unusedFields.map(({ field }) => field);
  const candidates =
    unused.length === 0 ? "" : ` Fields that are not mapped: ${quotedList(unused)}.`;
  return {
    code: "field_vanished",
    title: `${target} has ${rows === sum(empty, (day) => day.events) ? "no" : "almost no"} values ${when}`,
    detail:
      `It is empty in ${formatNumberOf(rows, "event")} of these ${formatCount(empty.length)} days; on the other ` +
      `days, ${formatShare(values, events)} of the events have a value. Compare a row of each time: if the field ` +
      `has another name in some files, map both names as a list. If it has not, export these days again.${candidates}`,
    rows,
    day: first,
  };
}

/** Least share of its events that had the property. */
const FILL_MIN = 0.5;

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
export function findVanishedProperties({ days, events }: ReportedFacts): readonly Observation[] {
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
  return [...groups.values()].map(describeProperty);
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
    if (range === null || later < FILLED_DAYS_MIN || days.length - later < EMPTY_DAYS_MIN)
      return [];
    const before = sum(days.slice(0, later), (one) => one.rows);
    const after = sum(days.slice(later), (one) => one.rows);
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

function describeProperty(same: readonly Vanished[]): Observation {
  const [{ event, key, last } = { event: "", key: "", last: "" }] = same;
  const rows = sum(same, (one) => one.rows);
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
