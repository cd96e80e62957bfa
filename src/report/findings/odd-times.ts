import { DAY_MS } from "../../base/day.js";
import { formatNumberOf } from "../quantities.js";
import { fixOf } from "./configuration-fixes.js";
import { bulkOf } from "./day-counts.js";
import { type Facts, type Observation, shareOf, sumOf } from "./observation.js";
import { FAR_DAYS, MIDNIGHT_SHARE, MINIMUM_DAY_EVENTS } from "./thresholds.js";

/** Times that are only dates. */
export function findMidnights({
  times,
  rows,
  dayZone,
}: Facts): Observation | readonly Observation[] {
  const { midnight } = times;
  if (midnight < MINIMUM_DAY_EVENTS || midnight < rows.mapped * MIDNIGHT_SHARE) return [];
  return {
    code: "times_midnight",
    title: `${shareOf(midnight, rows.mapped)} of the events are at exactly midnight (${dayZone})`,
    detail:
      "Their times are only dates, so the order of events within a day is lost. " +
      "If another field includes the time of day, map that one.",
    rows: midnight,
  };
}

export function findFutureTimes({ times, run }: Facts): Observation | readonly Observation[] {
  if (times.future === 0) return [];
  return {
    code: "times_future",
    title: `${formatNumberOf(times.future, "event")} ${times.future === 1 ? "is" : "are"} later than this run`,
    detail:
      `The last is at ${times.last ?? "an unknown time"}; the run began at ${run.startedAt}. ` +
      "A few hours suggest local times of a zone east of UTC; days suggest devices with wrong clocks. " +
      "The line filters these events out.",
    rows: times.future,
    fix: fixOf(["toTime"], run.startedAt, false),
  };
}

/** Placeholder times within the allowed range of times. */
export function findPlaceholderTimes(facts: Facts): Observation | readonly Observation[] {
  const { suspicious, first } = facts.times;
  if (suspicious === 0) return [];
  const bulkStart = bulkStartOf(facts);
  const isFixable = bulkStart !== undefined && first !== null && first < bulkStart;
  return {
    code: "times_suspicious",
    title: `${formatNumberOf(suspicious, "event")} ${suspicious === 1 ? "has a placeholder time" : "have placeholder times"}`,
    detail:
      "These times are before 2000 or exactly at the start of an epoch, as devices without a clock " +
      `report them. The first event is at ${first ?? "no time"}.` +
      `${isFixable ? " The line rejects these events." : ""}`,
    rows: suspicious,
    fix: isFixable ? fixOf(["minTime"], bulkStart, false) : undefined,
  };
}

/** A few events long before all others. */
export function findOldTimes(facts: Facts): Observation | readonly Observation[] {
  const { days, times } = facts;
  const { start } = bulkOf(days);
  const bulkStart = days[start]?.day;
  if (bulkStart === undefined) return [];
  const far = days
    .slice(0, start)
    .filter(({ day }) => Date.parse(bulkStart) - Date.parse(day) > FAR_DAYS * DAY_MS);
  const rows = sumOf(far, ({ events }) => events);
  if (rows <= times.suspicious) return [];
  const withEvents = far.filter(({ events }) => events > 0).length;
  return {
    code: "times_scattered",
    title: `${formatNumberOf(rows, "event")} ${rows === 1 ? "is" : "are"} more than ${FAR_DAYS} days before all others`,
    detail:
      `They are on ${formatNumberOf(withEvents, "day")}, the first of them ${far[0]?.day}; nearly all events are ` +
      `from ${bulkStart} on. The usual cause is devices with wrong clocks. The line rejects these events.`,
    rows,
    day: far[0]?.day,
    fix: fixOf(["minTime"], bulkStart, false),
  };
}

function bulkStartOf({ days }: Facts): string | undefined {
  return days[bulkOf(days).start]?.day;
}
