/** Days of a list by their indexes, `end` excluded. */
export interface DayRange {
  readonly start: number;
  readonly end: number;
}

/** A day of a calendar. */
export interface CalendarDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly count: number;
  readonly rejected?: number;
  /** Marks the day with a dot. */
  readonly note?: string | undefined;
}

/** Strengths of colour for days that have events. */
export const DAY_LEVELS = 8;

/**
 * Returns the strength of a day's colour; 0 only for no events. The square root keeps usual days apart
 * from each other below a spike, and only the busiest days have the strongest colour.
 */
export function dayLevel(events: number, most: number): number {
  return events === 0 ? 0 : Math.max(1, Math.ceil(DAY_LEVELS * Math.sqrt(events / most) - 1e-9));
}

/** Consecutive months without events from which on they become one line. */
const EMPTY_MONTHS_MIN = 3;

/** The days of a month, or of several months without events. */
interface CalendarStretch extends DayRange {
  readonly isEmpty: boolean;
}

/** Groups days by month. */
export function stretchesOf(days: readonly CalendarDay[]): readonly CalendarStretch[] {
  const stretches: CalendarStretch[] = [];
  let emptyMonths = 0;
  let start = 0;
  for (let end = 1; end <= days.length; end++) {
    if (days[end]?.day.slice(0, 7) === days[start]?.day.slice(0, 7)) continue;
    const isQuiet = days
      .slice(start, end)
      .every(({ count, rejected = 0 }) => count + rejected === 0);
    emptyMonths = isQuiet ? emptyMonths + 1 : 0;
    if (emptyMonths < EMPTY_MONTHS_MIN) stretches.push({ start, end, isEmpty: false });
    else {
      const before = stretches.splice(emptyMonths === EMPTY_MONTHS_MIN ? 1 - EMPTY_MONTHS_MIN : -1);
      stretches.push({ start: before[0]?.start ?? start, end, isEmpty: true });
    }
    start = end;
  }
  return stretches;
}

/** Returns each day of the months that have counts, also days without one. `counts` is in order. */
export function daysOfMonths(
  counts: readonly { readonly day: string; readonly count: number }[],
): readonly CalendarDay[] {
  const known = new Map(counts.map(({ day, count }) => [day, count]));
  const months = new Set(counts.map(({ day }) => day.slice(0, 7)));
  return [...months].flatMap((month) => {
    const [year = 0, number = 0] = month.split("-").map(Number);
    // Day 0 of the next month is the last one of this month. `Date.UTC` moves years before 100.
    const length = new Date(Date.UTC(2000 + (year % 400), number, 0)).getUTCDate();
    return Array.from({ length }, (_, index) => {
      const day = `${month}-${String(index + 1).padStart(2, "0")}`;
      return { day, count: known.get(day) ?? 0 };
    });
  });
}
