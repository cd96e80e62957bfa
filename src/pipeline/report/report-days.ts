import { formatDay } from "../../base/day.js";
import type { ProfileFold } from "../../profile/profile-fold.js";
import type { ReportDay } from "../../profile/report.js";
import type { EventFold } from "../event-fold.js";

const HOURS = 24;

/**
 * Days from the first to the last; where there are more, one stray time would fill the report with
 * nothing.
 */
export const REPORT_DAYS_MAX = 4_000;

/** Pairs of day and event name in a report; the names with the most rows are in it. */
export const REPORT_DAY_EVENTS_MAX = 200_000;

/** Days of a report in order. `names` are those of its events, in its order. */
export function reportDays(
  profile: ProfileFold,
  events: EventFold,
  names: readonly string[],
  daysOfNames: ReadonlyMap<string, number>,
): readonly ReportDay[] {
  const hours = hoursByDay(profile.hours);
  const places = placesOf(names, daysOfNames);
  return daysOf(hours, profile.rejectedDays).map((day) => {
    const hoursOfDay = hours.get(day) ?? new Array<number>(HOURS).fill(0);
    const byEvent = [...(events.days.get(day) ?? [])].flatMap(([name, rows]) => {
      const place = places.get(name);
      return place === undefined ? [] : [[place, rows] as const];
    });
    return {
      day: formatDay(day),
      events: hoursOfDay.reduce((sum, rows) => sum + rows, 0),
      hours: hoursOfDay,
      byEvent: byEvent.sort(([one], [other]) => one - other),
      rejected: profile.rejectedDays.get(day) ?? 0,
    };
  });
}

/** Events of each hour of the day. */
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

/** All days from the first with events to the last, and those with rejects alone. */
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

/** On how many days each name came. */
export function countDays(
  days: ReadonlyMap<number, ReadonlyMap<string, number>>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const names of days.values()) {
    for (const name of names.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The places of as many names as there is room for, most frequent first. */
function placesOf(
  names: readonly string[],
  daysOfNames: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let left = REPORT_DAY_EVENTS_MAX;
  for (const [place, name] of names.entries()) {
    left -= daysOfNames.get(name) ?? 0;
    if (left < 0) break;
    places.set(name, place);
  }
  return places;
}
