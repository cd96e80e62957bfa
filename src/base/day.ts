import type { Zone } from "./zone.js";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Returns the day of a time in a zone, in days since 1970-01-01; negative before. */
export function dayOf(timestampMs: number, zone: Zone): number {
  return Math.floor((timestampMs + zone.offsetMs(timestampMs)) / DAY_MS);
}

/** Parses a day such as `2026-01-31` into days since 1970-01-01; NaN if it is not a day. */
export function parseDay(name: string): number {
  return Date.parse(`${name.length > 10 ? "+" : ""}${name}T00:00:00Z`) / DAY_MS;
}

/** Formats an hour of the day as `09:00`. */
export function clockText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** Formats a day since 1970-01-01 as `YYYY-MM-DD`. Throws for years outside 0 to 9999: a bug of the caller. */
export function formatDay(day: number): string {
  const text = new Date(day * DAY_MS).toISOString();
  if (text.length !== 24) throw new Error(`day ${day} is outside the years 0 to 9999`);
  return text.slice(0, 10);
}

/** Returns the day that is `days` after another one, both `YYYY-MM-DD`. Throws like `formatDay`. */
export function dayAfter(day: string, days = 1): string {
  return formatDay(parseDay(day) + days);
}
