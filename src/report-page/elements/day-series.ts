import { sum } from "../../base/sum.js";
import type { Report, ReportDay } from "../../profile/report.js";
import type { DayRange } from "../../ui/calendar-days.js";

/**
 * Rows by event name; a report has them by day. The days and rows of event `i` are at `starts[i]` to
 * `starts[i + 1]`, in the order of days.
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
      const index = next[event] ?? 0;
      days[index] = day;
      rows[index] = count;
      next[event] = index + 1;
    }
  });
  return { starts, days, rows };
}

export function rowsInRange(series: EventSeries, event: number, range: DayRange): number {
  let sum = 0;
  const end = series.starts[event + 1] ?? 0;
  for (let index = series.starts[event] ?? 0; index < end; index++) {
    const day = series.days[index] ?? 0;
    if (day >= range.start && day < range.end) sum += series.rows[index] ?? 0;
  }
  return sum;
}

/** Counts the rows of one event in each bucket of `bucketDays` days. */
export function eventBuckets(
  series: EventSeries,
  event: number,
  days: number,
  bucketDays: number,
): Float64Array {
  const buckets = new Float64Array(Math.ceil(days / bucketDays));
  const end = series.starts[event + 1] ?? 0;
  for (let index = series.starts[event] ?? 0; index < end; index++) {
    const bucket = Math.floor((series.days[index] ?? 0) / bucketDays);
    buckets[bucket] = (buckets[bucket] ?? 0) + (series.rows[index] ?? 0);
  }
  return buckets;
}

/** Days for each bar, so that there are at most `bucketsMax` bars. */
export function bucketDaysFor(days: number, bucketsMax: number): number {
  const wanted = Math.max(1, Math.ceil(days / bucketsMax));
  return wanted === 1 ? 1 : Math.ceil(wanted / 7) * 7;
}

/** Counts the events of each hour of the day, over the days of a range. */
export function hoursInRange(report: Pick<Report, "days">, range: DayRange): readonly number[] {
  const hours = Array.from({ length: 24 }, () => 0);
  for (const day of report.days.slice(range.start, range.end)) {
    day.hours.forEach((events, hour) => {
      hours[hour] = (hours[hour] ?? 0) + events;
    });
  }
  return hours;
}

/** Days without events that separate outlying days from the rest. */
const GAP_DAYS_MIN = 60;
/** Up to this share of all events, days far from all others are treated as wrong times. */
const OUTLYING_SHARE_MAX = 0.01;

interface PartsOfDay {
  /** Days that charts show, without gaps. */
  readonly days: readonly ReportDay[];
  /** Days with events far before or after the others. */
  readonly outlying: readonly ReportDay[];
}

/**
 * Separates days that are far from the rest and have almost no events. A few events of 1970 or 2099
 * would stretch a chart so far that all others are one bar.
 */
export function partDays(days: readonly ReportDay[]): PartsOfDay {
  const total = eventsOf(days);
  const groups = groupsOf(days);
  const isSmall = ({ events }: DayGroup) => events <= total * OUTLYING_SHARE_MAX;
  const first = groups.findIndex((group) => !isSmall(group));
  const last = groups.findLastIndex((group) => !isSmall(group));
  const [start, end] = [groups[first]?.start ?? 0, groups[last]?.end ?? days.length];
  const outlying = [...days.slice(0, start), ...days.slice(end)];
  if (eventsOf(outlying) > total * OUTLYING_SHARE_MAX) return { days, outlying: [] };
  return {
    days: days.slice(start, end),
    outlying: outlying.filter(({ events, rejected }) => events > 0 || rejected > 0),
  };
}

interface DayGroup {
  readonly start: number;
  readonly end: number;
  readonly events: number;
}

/** Groups days with events that are not separated by a gap. */
function groupsOf(days: readonly ReportDay[]): readonly DayGroup[] {
  const groups: DayGroup[] = [];
  days.forEach(({ events }, day) => {
    if (events === 0) return;
    const open = groups.at(-1);
    if (open !== undefined && day - open.end < GAP_DAYS_MIN) {
      groups[groups.length - 1] = { ...open, end: day + 1, events: open.events + events };
    } else groups.push({ start: day, end: day + 1, events });
  });
  return groups;
}

function eventsOf(days: readonly ReportDay[]): number {
  return sum(days, ({ events }) => events);
}

/** One of the stacked layers of a timeline. */
export interface SeriesLayer {
  /** Index in `Report.events`; absent for all other names together. */
  readonly event?: number;
  readonly values: Float64Array;
  /** Lower and upper end in each bucket, in events. */
  readonly spans: readonly (readonly [low: number, high: number])[];
}

/** Most names with their own layer. */
export const LAYERS_MAX = 8;

/** Layers of the most frequent names, and one of all others. */
export function layersOf(
  report: Pick<Report, "days" | "events">,
  series: EventSeries,
  bucketDays: number,
): readonly SeriesLayer[] {
  const days = report.days.length;
  const rest = new Float64Array(Math.ceil(days / bucketDays));
  report.days.forEach(({ events }, day) => {
    const bucket = Math.floor(day / bucketDays);
    rest[bucket] = (rest[bucket] ?? 0) + events;
  });
  const named = report.events.slice(0, LAYERS_MAX).map((_, event) => {
    const values = eventBuckets(series, event, days, bucketDays);
    for (let bucket = 0; bucket < rest.length; bucket++) {
      rest[bucket] = Math.max(0, (rest[bucket] ?? 0) - (values[bucket] ?? 0));
    }
    return { event, values };
  });
  const all = rest.some((events) => events > 0) ? [...named, { values: rest }] : named;
  return stacked(all);
}

/** Each layer begins where the one below it ends. */
function stacked(layers: readonly Omit<SeriesLayer, "spans">[]): readonly SeriesLayer[] {
  const heights = new Float64Array(layers[0]?.values.length ?? 0);
  return layers.map((layer) => ({
    ...layer,
    spans: Array.from(layer.values, (value, bucket) => {
      const low = heights[bucket] ?? 0;
      heights[bucket] = low + value;
      return [low, low + value] as const;
    }),
  }));
}

/** The only layer of a single event. */
export function singleLayer(values: Float64Array, event: number): readonly SeriesLayer[] {
  return stacked([{ event, values }]);
}
