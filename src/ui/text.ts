import { formatCount } from "../base/format-count.js";
import { formatShare } from "../base/format-share.js";
import { harmless } from "../report/terminal-text.js";

/**
 * Makes text from data safe to show: characters that hide or reorder text become visible, and a text of
 * blanks is counted.
 */
export function shown(text: string): string {
  if (text === "") return "(empty text)";
  const safe = harmless(text);
  return safe.trim() === "" ? `(${countOrNone(safe.length, "blanks")})` : safe;
}

/** `48.2 %`; a dash for parts of nothing. */
export function partText(part: number, whole: number): string {
  return whole === 0 ? "–" : formatShare(part, whole);
}

const axisFormat = new Intl.NumberFormat("en-US", {
  notation: "compact",
  maximumFractionDigits: 1,
});

/** `1.5k`, `23M`: for axes. */
export function axisCount(count: number): string {
  return axisFormat.format(count);
}

/** `1,204 events`, `1 event`, or `no events`. */
export function countOrNone(count: number, noun: string): string {
  const form = count === 1 ? noun.replace(/s$/, "") : noun;
  return count === 0 ? `no ${noun}` : `${formatCount(count)} ${form}`;
}

/** `2026-11-28T15:37:10.000Z`, from ms since the epoch; undefined for what is not a time. */
export function isoText(time: number): string | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const inUTC = { timeZone: "UTC" } as const;
const short = { day: "numeric", month: "short" } as const;
const dayFormats = {
  short: new Intl.DateTimeFormat("en-GB", { ...short, ...inUTC }),
  month: new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", ...inUTC }),
  full: new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", ...inUTC }),
  weekday: new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    year: "numeric",
    ...short,
    ...inUTC,
  }),
} as const;

/** A day `YYYY-MM-DD` for people: `3 Mar`, `Mar 2026`, `3 Mar 2026`, `Tue, 3 Mar 2026`. */
export function dayText(day: string, form: keyof typeof dayFormats = "full"): string {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) ? shown(day) : dayFormats[form].format(time);
}

/** `3 Mar 2026`, or `3 Mar 2026 to 9 Mar 2026`. */
export function daysText(first: string, last: string): string {
  return first === last ? dayText(first) : `${dayText(first)} to ${dayText(last)}`;
}

/** `1 Jan – 31 Mar 2026`, or both years if they differ. */
export function periodText(first: string, last: string): string {
  if (first === last) return dayText(first);
  const form = first.slice(0, 4) === last.slice(0, 4) ? "short" : "full";
  return `${dayText(first, form)} – ${dayText(last)}`;
}
