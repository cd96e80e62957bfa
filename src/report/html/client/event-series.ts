import type { Report } from "../../../profile/report.js";

/** Days of a report by their places in it, `end` excluded. */
export interface DayRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Rows by event name and day, turned around: a report has them by day. The days and rows of event `i`
 * lie at `starts[i]` to `starts[i + 1]`, in the order of days.
 */
export interface EventSeries {
  readonly starts: Uint32Array;
  readonly days: Uint32Array;
  readonly rows: Float64Array;
}

export function eventSeries(report: Pick<Report, "days" | "events">): EventSeries {
  const starts = new Uint32Array(report.events.length + 1);
  let total = 0;
  for (const { byEvent } of report.days) {
    for (const [event] of byEvent) starts[event + 1] = (starts[event + 1] ?? 0) + 1;
    total += byEvent.length;
  }
  for (let event = 0; event < report.events.length; event++) {
    starts[event + 1] = (starts[event + 1] ?? 0) + (starts[event] ?? 0);
  }
  const next = starts.slice();
  const days = new Uint32Array(total);
  const rows = new Float64Array(total);
  report.days.forEach(({ byEvent }, day) => {
    for (const [event, count] of byEvent) {
      const place = next[event] ?? 0;
      days[place] = day;
      rows[place] = count;
      next[event] = place + 1;
    }
  });
  return { starts, days, rows };
}

export function rowsInRange(series: EventSeries, event: number, range: DayRange): number {
  let sum = 0;
  const end = series.starts[event + 1] ?? 0;
  for (let place = series.starts[event] ?? 0; place < end; place++) {
    const day = series.days[place] ?? 0;
    if (day >= range.start && day < range.end) sum += series.rows[place] ?? 0;
  }
  return sum;
}

/** Rows of one event in each bucket of `bucketDays` days. */
export function eventBuckets(
  series: EventSeries,
  event: number,
  days: number,
  bucketDays: number,
): Float64Array {
  const buckets = new Float64Array(Math.ceil(days / bucketDays));
  const end = series.starts[event + 1] ?? 0;
  for (let place = series.starts[event] ?? 0; place < end; place++) {
    const bucket = Math.floor((series.days[place] ?? 0) / bucketDays);
    buckets[bucket] = (buckets[bucket] ?? 0) + (series.rows[place] ?? 0);
  }
  return buckets;
}

/** Days that one bar stands for, so that there are at most `bucketsMax` bars. */
export function bucketDaysFor(days: number, bucketsMax: number): number {
  const wanted = Math.max(1, Math.ceil(days / bucketsMax));
  return wanted === 1 ? 1 : Math.ceil(wanted / 7) * 7;
}

/** Events of each hour of the day, over the days of a range. */
export function hoursInRange(report: Pick<Report, "days">, range: DayRange): readonly number[] {
  const hours = Array.from({ length: 24 }, () => 0);
  for (const day of report.days.slice(range.start, range.end)) {
    day.hours.forEach((events, hour) => {
      hours[hour] = (hours[hour] ?? 0) + events;
    });
  }
  return hours;
}
