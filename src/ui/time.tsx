import { DAY_MS, HOUR_MS } from "../base/day.js";
import { isoText } from "./text.js";

const units = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
/** `28 Nov 2026, 15:37:10`, in the zone of the reader. */
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** `3 hours ago`, from ms since the epoch. */
function agoText(time: number): string {
  const distance = time - Date.now();
  for (const [unit, ms] of units) {
    if (Math.abs(distance) >= ms) return relative.format(Math.round(distance / ms), unit);
  }
  return distance > 0 ? "in a moment" : "just now";
}

/** A time as its distance from now; the exact one appears over it. `at` is in ms since the epoch. */
export function Time({ at }: { at: number }) {
  const iso = isoText(at);
  if (iso === undefined) return <>{String(at)}</>;
  return (
    <time dateTime={iso} title={exact.format(at)}>
      {agoText(at)}
    </time>
  );
}
