import type { ReportDay } from "../../profile/report.js";
import { median } from "./day-bulk.js";

/** Days on either side that a day is compared with. */
const DAYS_AROUND = 3;

/** Days of either side that must be there. */
const DAYS_AROUND_MIN = 2;

/** What both sides of a moment have: a step from one level to another is neither gap nor spike. */
export interface UsualCounts {
  readonly least: number;
  readonly most: number;
}

/** Undefined at the ends, where nothing can be compared. */
export function usualOfDay(days: readonly ReportDay[], place: number): UsualCounts | undefined {
  return usualOf(days, place, ({ events }) => events);
}

export function usualOfHour(
  days: readonly ReportDay[],
  place: number,
  hour: number,
): UsualCounts | undefined {
  return usualOf(days, place, ({ hours }) => hours[hour] ?? 0);
}

function usualOf(
  days: readonly ReportDay[],
  place: number,
  countOf: (day: ReportDay) => number,
): UsualCounts | undefined {
  const before = days.slice(Math.max(0, place - DAYS_AROUND), place).map(countOf);
  const after = days.slice(place + 1, place + 1 + DAYS_AROUND).map(countOf);
  if (before.length < DAYS_AROUND_MIN || after.length < DAYS_AROUND_MIN) return undefined;
  const sides = [median(before), median(after)];
  return { least: Math.min(...sides), most: Math.max(...sides) };
}

/** Stretches of neighbours that all fit, `end` excluded. */
export function runsOf<T>(
  values: readonly T[],
  fits: (value: T, place: number) => boolean,
): readonly { readonly start: number; readonly end: number }[] {
  const runs: { start: number; end: number }[] = [];
  values.forEach((value, place) => {
    if (!fits(value, place)) return;
    const last = runs.at(-1);
    if (last?.end === place) last.end = place + 1;
    else runs.push({ start: place, end: place + 1 });
  });
  return runs;
}
