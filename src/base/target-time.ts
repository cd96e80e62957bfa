/** Numbers below it are seconds, not milliseconds. */
const SECONDS_MAX = 10_000_000_000;

/** The end of a time that says its zone. A year at the end, as in `15-Jan-2026`, is not one. */
const ZONE =
  /(?:z|\b(?:utc?|gmt|[ecmp][sd]t)|:\d\d(?:\.\d+)?\s*(?:utc|gmt)?[+-]\d\d:?\d\d)(?:\s*\(.*\))?$/i;

/**
 * Returns the time of a condition's target or of a user's value in ms since the epoch; NaN if it is
 * not a time. Texts without a zone are UTC, in every zone of the service and of the browser.
 */
export function targetTime(target: string | number): number {
  if (target === "") return Number.NaN;
  const number = Number(target);
  if (!Number.isNaN(number)) return Math.abs(number) < SECONDS_MAX ? number * 1000 : number;
  const text = String(target).trim();
  if (ZONE.test(text)) return Date.parse(text);
  // The first is for ISO 8601, the second for `12:00 PM`.
  const times = [`${text}Z`, `${text} UTC`].map((zoned) => Date.parse(zoned));
  return times.find((time) => !Number.isNaN(time)) ?? Number.NaN;
}

/** Returns the target of a time in ms since the epoch. */
export function targetOf(time: number): number {
  return Math.abs(time) < SECONDS_MAX ? time / 1000 : time;
}
