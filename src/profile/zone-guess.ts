import { clockText } from "../base/day.js";
import { formatShare } from "../base/format-share.js";
import { sum } from "../base/sum.js";
import type { Report } from "./report.js";

/** People are quietest from 02:00 to 08:00. */
const QUIET_HOURS = 6;
const QUIET_FROM = 2;
const HOURS = 24;

/** Minimums for a guess: events, and days with events. */
const EVENTS_MIN = 1_000;
const DAYS_MIN = 3;

/** Largest share of events in the quietest hours; with even use it would be a quarter. */
const STRONG_SHARE = 0.08;
const WEAK_SHARE = 0.16;

/** Guesses the zone of times from the events of each hour of the day. */
export function guessZone(
  hoursOfDay: readonly number[],
  days: number,
): Report["times"]["zoneGuess"] {
  const total = sum(hoursOfDay, (rows) => rows);
  if (total < EVENTS_MIN || days < DAYS_MIN) {
    const evidence = "There are too few events or days to tell quiet hours from busy ones.";
    return { shiftHours: 0, confidence: "none", evidence };
  }
  const sums = hoursOfDay.map((_, start) => quietSum(hoursOfDay, start));
  const quiet = sums.indexOf(Math.min(...sums));
  const share = (sums[quiet] as number) / total;
  const percent = formatShare(sums[quiet] as number, total);
  const range = `${clockText(quiet)} to ${clockText((quiet + QUIET_HOURS) % HOURS)}`;
  if (share > WEAK_SHARE) {
    const evidence = `There are no quiet hours: the quietest six, ${range}, have ${percent} of all events.`;
    return { shiftHours: 0, confidence: "none", evidence };
  }
  return {
    shiftHours: ((quiet - QUIET_FROM + HOURS / 2 + HOURS) % HOURS) - HOURS / 2,
    confidence: share > STRONG_SHARE ? "weak" : "strong",
    evidence: `The quietest six hours are ${range}, with ${percent} of all events; the quietest hours of people are about 02:00 to 08:00.`,
  };
}

function quietSum(hoursOfDay: readonly number[], start: number): number {
  let sum = 0;
  for (let hour = start; hour < start + QUIET_HOURS; hour++) sum += hoursOfDay[hour % HOURS] ?? 0;
  return sum;
}
