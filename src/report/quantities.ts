import { formatCount } from "../base/format-count.js";

/** `1 row`, `2 rows`. */
export function formatNumberOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** `2 rows`, or `at least 2 rows` if there may be more. */
export function formatLeast(count: number, noun: string, hasMore: boolean): string {
  return `${hasMore ? "at least " : ""}${formatNumberOf(count, noun)}`;
}

const byteUnits = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** `1.5 MB`: powers of ten, three significant digits. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${byteUnits[unit]}`;
}

/** `0.4 s`, `12 s`, `3:07 min`, `2:03:07 h`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)} min`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)} h`;
}

/** `UTC-7`: the zone in which 02:00 is this number of hours after 02:00 UTC. */
export function zoneOfShift(shiftHours: number): string {
  return `UTC${shiftHours > 0 ? "-" : "+"}${Math.abs(shiftHours)}`;
}

/** `0.017 %`: two significant digits, for shares that are often far below 1 %. */
export function formatSmallShare(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}
