import { DAY_MS } from "../../base/day.js";
import { formatCount, formatNumberOf } from "../quantities.js";
import { bulkOf } from "./day-bulk.js";
import { fixOf } from "./fix.js";
import type { Facts, Observation } from "./observation.js";
import { FAR_DAYS, MIDNIGHT_SHARE, MINIMUM_DAY_EVENTS } from "./thresholds.js";
import { shareOf } from "./words.js";

/** Times that are only dates. */
export function findMidnights({ times, rows, dayZone }: Facts): readonly Observation[] {
  const { midnight } = times;
  if (midnight < MINIMUM_DAY_EVENTS || midnight < rows.mapped * MIDNIGHT_SHARE) return [];
  return [
    {
      code: "times_midnight",
      title: `${shareOf(midnight, rows.mapped)} of the events are at exactly midnight (${dayZone})`,
      detail:
        "Their times are only dates: the order of events within a day is lost. " +
        "Map a field that has the time of day too, if there is one.",
      rows: midnight,
    },
  ];
}

export function findFutureTimes({ times, run }: Facts): readonly Observation[] {
  if (times.future === 0) return [];
  return [
    {
      code: "times_future",
      title: `${formatNumberOf(times.future, "event")} happened after this was run`,
      detail:
        `The last is of ${times.last ?? "an unknown time"}; the run began at ${run.startedAt}. ` +
        "Hours ahead suggest local times of a zone east of UTC; days ahead, devices with wrong clocks. " +
        "The line leaves them out.",
      rows: times.future,
      fix: fixOf(["toTime"], run.startedAt, false),
    },
  ];
}

/** Moments that clocks make up, as far as any came through. */
export function findSuspiciousTimes(facts: Facts): readonly Observation[] {
  const { suspicious, first } = facts.times;
  if (suspicious === 0) return [];
  const bulkStart = bulkStartOf(facts);
  const isMended = bulkStart !== undefined && first !== null && first < bulkStart;
  return [
    {
      code: "times_suspicious",
      title: `${formatNumberOf(suspicious, "event")} at a moment that clocks make up`,
      detail:
        `Before 2000, or exactly at the beginning of an epoch; the first event is of ${first ?? "none"}. ` +
        `Devices without a clock report such times.${isMended ? " The line makes them rejects." : ""}`,
      rows: suspicious,
      ...(isMended ? { fix: fixOf(["minTime"], bulkStart, false) } : {}),
    },
  ];
}

/** Few events long before all others. */
export function findScatteredTimes(facts: Facts): readonly Observation[] {
  const { days, times } = facts;
  const { start } = bulkOf(days);
  const bulkStart = days[start]?.day;
  if (bulkStart === undefined) return [];
  const far = days
    .slice(0, start)
    .filter(({ day }) => Date.parse(bulkStart) - Date.parse(day) > FAR_DAYS * DAY_MS);
  const rows = far.reduce((sum, { events }) => sum + events, 0);
  if (rows <= times.suspicious) return [];
  return [
    {
      code: "times_scattered",
      title: `${formatNumberOf(rows, "event")} lie more than ${FAR_DAYS} days before all others`,
      detail:
        `${formatCount(far.filter(({ events }) => events > 0).length)} days from ${far[0]?.day} on have ` +
        `hardly any; nearly all events are of ${bulkStart} and later. Devices with wrong clocks do this. ` +
        "The line makes them rejects.",
      rows,
      ...(far[0] === undefined ? {} : { day: far[0].day }),
      fix: fixOf(["minTime"], bulkStart, false),
    },
  ];
}

function bulkStartOf({ days }: Facts): string | undefined {
  return days[bulkOf(days).start]?.day;
}
