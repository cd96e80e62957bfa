import type { ReportDay } from "../../profile/report.js";

/** Share of all events that may lie before the first day of the bulk, and after the last. */
const TAIL_SHARE = 0.005;

/** Places in `days`, `end` excluded, between which nearly all events lie. */
export interface Bulk {
  readonly start: number;
  readonly end: number;
}

/** The days of an export without what devices with wrong clocks have strewn around them. */
export function bulkOf(days: readonly ReportDay[]): Bulk {
  const total = days.reduce((sum, { events }) => sum + events, 0);
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

/** 0 of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
