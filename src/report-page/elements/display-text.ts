import type { Estimate } from "../../profile/report.js";
import { formatBytes, formatCount } from "../../report/quantities.js";
import { harmless } from "../../report/terminal-text.js";

/** Makes text from data safe to show: characters that hide or reorder text become visible. */
export function shown(text: string): string {
  return text === "" ? "(empty text)" : harmless(text);
}

/** `48.2 %`; `< 0.1 %` and `> 99.9 %` where rounding would give 0 or 100 %. */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  if (percent < 100 && percent > 99.9) return "> 99.9 %";
  return `${percent.toFixed(1)} %`;
}

export function partText(part: number, whole: number): string {
  return whole === 0 ? "–" : shareText(part / whole);
}

/** `about 12,345 (± 1.6 %)`, or the bare number where it is exact. */
export function estimateText({ count, error }: Estimate): string {
  if (error === 0) return formatCount(count);
  return `about ${formatCount(count)} (${errorText({ count, error })})`;
}

/** A short form for narrow columns: `≈ 12,345`. */
export function shortEstimate({ count, error }: Estimate): string {
  return `${error === 0 ? "" : "≈ "}${formatCount(count)}`;
}

/** The error of an estimate; undefined if it is exact. */
export function errorText({ error }: Estimate): string | undefined {
  return error === 0 ? undefined : `± ${(error * 100).toFixed(1)} %`;
}

/** `1 Jan – 31 Mar 2026`, or both years if they differ. */
export function periodText(first: string, last: string): string {
  if (first === last) return dayText(first);
  const form = first.slice(0, 4) === last.slice(0, 4) ? "short" : "full";
  return `${dayText(first, form)} – ${dayText(last)}`;
}

/** `1.5k`, `23M`: for axes. */
export function axisCount(count: number): string {
  return axisFormat.format(count);
}

const axisFormat = new Intl.NumberFormat("en-US", {
  notation: "compact",
  maximumFractionDigits: 1,
});

const dayFormats = {
  short: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }),
  month: new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" }),
  full: new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }),
  weekday: new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
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

/** A time of the report, to the second: `2026-03-03 18:04:09`. */
export function timeText(time: string): string {
  return shown(time)
    .replace("T", " ")
    .replace(/(\.\d+)?Z$/, "");
}

/** A time as the value and note of a fact: the day, and `18:04:09 UTC`. */
export function timeParts(time: string): readonly [value: string, note: string] {
  const text = timeText(time);
  return [text.slice(0, 10), `${text.slice(11)} UTC`];
}

export function bytesRange(bytes: { readonly min: number; readonly max: number }): string {
  const { min, max } = bytes;
  return min === max ? formatBytes(min) : `${formatBytes(min)} – ${formatBytes(max)}`;
}

/** The position of a row: `events.jsonl, row 12, byte 3456`. */
export function positionText(position: {
  readonly source: string;
  readonly row?: number;
  readonly byte?: number;
}): string {
  const { source, row, byte } = position;
  const parts = [
    shown(source),
    row === undefined ? undefined : `row ${formatCount(row)}`,
    byte === undefined ? undefined : `byte ${formatCount(byte)}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}
