import { formatDay } from "../../base/day.js";
import { sum } from "../../base/sum.js";
import type { EventFold } from "../../ledger/event-fold.js";
import type { ProfileFold } from "../../profile/profile-fold.js";
import type { ReportDay } from "../../profile/report.js";
import { profiledTargets } from "../../profile/split-profile.js";

const HOURS = 24;

/**
 * Most days from the first to the last for which days without events are listed. Otherwise, a single
 * wrong time would fill the report with empty days.
 */
export const REPORT_DAYS_MAX = 4_000;

/** Most pairs of day and event name in a report; the names with the most rows are included. */
export const REPORT_DAY_EVENTS_MAX = 200_000;

/** Returns the days of a report in order. `names` are its event names, in its order. */
export function reportDays(
  profile: ProfileFold,
  events: EventFold,
  names: readonly string[],
  daysOfNames: ReadonlyMap<string, number>,
): readonly ReportDay[] {
  const hours = hoursByDay(profile.hours);
  const indexes = indexesOf(names, daysOfNames);
  return daysOf(hours, profile.rejectedDays).map((day) => {
    const hoursOfDay = hours.get(day) ?? new Array<number>(HOURS).fill(0);
    const byEvent = [...(events.days.get(day) ?? [])].flatMap(([name, rows]) => {
      const index = indexes.get(name);
      return index === undefined ? [] : [[index, rows] as const];
    });
    return {
      day: formatDay(day),
      events: sum(hoursOfDay, (rows) => rows),
      hours: hoursOfDay,
      byEvent: byEvent.sort(([one], [other]) => one - other),
      rejected: profile.rejectedDays.get(day) ?? 0,
      empty: emptyOf(profile.emptyTargets.get(day)),
    };
  });
}

function emptyOf(counts: readonly number[] = []): ReportDay["empty"] {
  const rows = profiledTargets.map((target, index) => [target, counts[index] ?? 0]);
  return Object.fromEntries(rows) as ReportDay["empty"];
}

/** Counts the events of each hour of the day. */
export function hoursOfDayOf(hours: ReadonlyMap<number, number>): readonly number[] {
  const counts = new Array<number>(HOURS).fill(0);
  for (const [hour, rows] of hours) counts[hourOfDay(hour)]! += rows;
  return counts;
}

function hourOfDay(hour: number): number {
  return ((hour % HOURS) + HOURS) % HOURS;
}

function hoursByDay(hours: ReadonlyMap<number, number>): ReadonlyMap<number, number[]> {
  const days = new Map<number, number[]>();
  for (const [hour, rows] of hours) {
    const day = Math.floor(hour / HOURS);
    const counts = days.get(day) ?? new Array<number>(HOURS).fill(0);
    counts[hourOfDay(hour)]! += rows;
    days.set(day, counts);
  }
  return days;
}

/** Returns all days from the first to the last with events, and days that have only rejects. */
function daysOf(
  hours: ReadonlyMap<number, unknown>,
  rejected: ReadonlyMap<number, unknown>,
): readonly number[] {
  const days = new Set([...hours.keys(), ...rejected.keys()]);
  const sorted = [...hours.keys()].sort((a, b) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first !== undefined && last !== undefined && last - first < REPORT_DAYS_MAX) {
    for (let day = first; day <= last; day++) days.add(day);
  }
  return [...days].sort((a, b) => a - b);
}

/** Counts the days on which each name occurs. */
export function countDays(
  days: ReadonlyMap<number, ReadonlyMap<string, number>>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const names of days.values()) {
    for (const name of names.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Returns the indexes of the most frequent names, up to the limit of pairs. */
function indexesOf(
  names: readonly string[],
  daysOfNames: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  let left = REPORT_DAY_EVENTS_MAX;
  for (const [index, name] of names.entries()) {
    left -= daysOfNames.get(name) ?? 0;
    if (left < 0) break;
    indexes.set(name, index);
  }
  return indexes;
}
