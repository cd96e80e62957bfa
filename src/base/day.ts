import type { Zone } from "./zone.js";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The day of a moment in a zone, in days since 1970-01-01; negative before. */
export function dayOf(timestampMs: number, zone: Zone): number {
  return Math.floor((timestampMs + zone.offsetMs(timestampMs)) / DAY_MS);
}

/** The day that a name such as `2026-01-31` names, in days since 1970-01-01; NaN where there is none. */
export function parseDay(name: string): number {
  return Date.parse(`${name.length > 10 ? "+" : ""}${name}T00:00:00Z`) / DAY_MS;
}

/** `YYYY-MM-DD` of a day since 1970-01-01. Years outside 0 to 9999 have no such name: a bug upstream. */
export function formatDay(day: number): string {
  const text = new Date(day * DAY_MS).toISOString();
  if (text.length !== 24) throw new Error(`day ${day} is outside the years 0 to 9999`);
  return text.slice(0, 10);
}
