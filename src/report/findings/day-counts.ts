import { sum } from "../../base/sum.js";
import type { ReportDay } from "../../profile/report.js";

/** Share of all events that may be before the first day of the bulk, and after the last. */
const TAIL_SHARE = 0.005;

/** Days on either side with which a day is compared, and the number of them that must exist. */
const DAYS_AROUND = 3;
const DAYS_AROUND_MIN = 2;

/** Number of other weeks that must have the same weekday for a comparison. */
const WEEKS_AROUND_MIN = 2;

/**
 * Returns the days that hold nearly all events, without the few that wrong clocks put before and after the
 * real days of an export.
 */
export function bulkOf(days: readonly ReportDay[]): IndexRun {
  const total = sum(days, ({ events }) => events);
  const tail = total * TAIL_SHARE;
  let [start, before] = [0, 0];
  while (start < days.length && before + (days[start]?.events ?? 0) <= tail) {
    before += days[start]?.events ?? 0;
    start++;
  }
  let [end, after] = [days.length, 0];
  while (end > start && after + (days[end - 1]?.events ?? 0) <= tail) {
    after += days[end - 1]?.events ?? 0;
    end--;
  }
  return { start, end };
}

/** The median of both sides of a moment: a step between two levels is neither a gap nor a spike. */
interface UsualCounts {
  readonly least: number;
  readonly most: number;
}

/** Undefined near the first and last day, where there are too few days for a comparison. */
export function usualOfDay(days: readonly ReportDay[], index: number): UsualCounts | undefined {
  return usualOf(days, index, ({ events }) => events);
}

export function usualOfHour(
  days: readonly ReportDay[],
  index: number,
  hour: number,
): UsualCounts | undefined {
  return usualOf(days, index, ({ hours }) => hours[hour] ?? 0);
}

function usualOf(
  days: readonly ReportDay[],
  index: number,
  countOf: (day: ReportDay) => number,
): UsualCounts | undefined {
  const before = days.slice(Math.max(0, index - DAYS_AROUND), index).map(countOf);
  const after = days.slice(index + 1, index + 1 + DAYS_AROUND).map(countOf);
  if (before.length < DAYS_AROUND_MIN || after.length < DAYS_AROUND_MIN) return undefined;
  const sides = [median(before), median(after)];
  return { least: Math.min(...sides), most: Math.max(...sides) };
}

/**
 * Returns the usual number of events of a day by its weekday, raised if the days around it have more events
 * than usual: a step between two levels is not a spike. Undefined if there are too few weeks.
 */
export function usualOfWeekday(days: readonly ReportDay[], index: number): number | undefined {
  const bulk = bulkOf(days);
  const ofWeekday = levelOfWeekday(days, bulk, index);
  if (ofWeekday === undefined) return undefined;
  const sides = [-1, 1].map((side) =>
    median(
      [1, 2, 3].flatMap((distance) => {
        const other = index + side * distance;
        const usual = levelOfWeekday(days, bulk, other);
        return usual === undefined ? [] : [(days[other]?.events ?? 0) / usual];
      }),
    ),
  );
  return ofWeekday * Math.max(1, ...sides);
}

/** The higher level of the two weeks before and after. */
function levelOfWeekday(
  days: readonly ReportDay[],
  { start, end }: IndexRun,
  index: number,
): number | undefined {
  const self = days[index];
  if (self === undefined) return undefined;
  // If days are far apart, the days without events between them are not listed.
  const weekday = weekdayOf(self);
  const [before, after] = [-1, 1].map((side) =>
    [7, 14].flatMap((distance) => {
      const place = index + side * distance;
      const day = place >= start && place < end ? days[place] : undefined;
      return day === undefined || day.events === 0 || weekdayOf(day) !== weekday
        ? []
        : [day.events];
    }),
  ) as [number[], number[]];
  if (before.length + after.length < WEEKS_AROUND_MIN) return undefined;
  return Math.max(median(before), median(after));
}

function weekdayOf({ day }: ReportDay): number {
  return new Date(day).getUTCDay();
}

/** Indexes of consecutive days or hours, `end` excluded. */
export interface IndexRun {
  readonly start: number;
  readonly end: number;
}

/** Returns the ranges in which all marks are true. */
export function runsOf(marks: readonly boolean[]): readonly IndexRun[] {
  const starts = marks.flatMap((mark, index) => (mark && marks[index - 1] !== true ? [index] : []));
  return starts.map((start) => {
    const next = marks.indexOf(false, start);
    return { start, end: next === -1 ? marks.length : next };
  });
}

/** The median; 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
