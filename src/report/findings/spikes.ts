import type { ReportDay } from "../../profile/report.js";
import { formatCount } from "../quantities.js";
import { median } from "./day-bulk.js";
import type { Facts, Observation } from "./observation.js";
import {
  CHANCE_DEVIATIONS,
  MINIMUM_DAY_EVENTS,
  MINIMUM_HOUR_EVENTS,
  SPIKE_DAY_FACTOR,
  SPIKE_HOUR_FACTOR,
} from "./thresholds.js";
import { usualOfDay, usualOfHour } from "./usual-counts.js";
import { quoted, shareOf } from "./words.js";

const ADVICE = "Loops, tests and bots do this; look at these events before they are counted.";

/** Hours with many times what the same hour of the days around and the day itself have. */
export function findSpikeHours(facts: Facts): readonly Observation[] {
  return facts.days.flatMap((day, place) =>
    spikeHoursOf(facts.days, place).map(({ hour, usual }) => ({
      code: "spike_hour" as const,
      title: `${day.day} at ${String(hour).padStart(2, "0")}:00 has ${formatCount(day.hours[hour] ?? 0)} events in one hour`,
      detail: `About ${formatCount(usual)} are usual at that hour.${cause(facts, place)} ${ADVICE}`,
      ...{ rows: Math.round((day.hours[hour] ?? 0) - usual), day: day.day },
    })),
  );
}

/** Days with many times what the days around have, also without their hours that are spikes. */
export function findSpikeDays(facts: Facts): readonly Observation[] {
  return facts.days.flatMap((day, place) => {
    const usual = usualOfDay(facts.days, place)?.most;
    if (usual === undefined) return [];
    const excess = spikeHoursOf(facts.days, place).reduce(
      (sum, { hour, usual: hourly }) => sum + (day.hours[hour] ?? 0) - hourly,
      0,
    );
    if (!isSpike(day.events - excess, usual, SPIKE_DAY_FACTOR, MINIMUM_DAY_EVENTS)) return [];
    return [
      {
        code: "spike_day" as const,
        title: `${day.day} has ${formatCount(day.events)} events`,
        detail: `About ${formatCount(usual)} a day are usual around it.${cause(facts, place)} ${ADVICE}`,
        ...{ rows: Math.round(day.events - usual), day: day.day },
      },
    ];
  });
}

function spikeHoursOf(days: readonly ReportDay[], place: number) {
  const hours = days[place]?.hours ?? [];
  const ofTheDay = median(hours);
  return hours.flatMap((events, hour) => {
    const around = usualOfHour(days, place, hour);
    if (around === undefined) return [];
    const usual = Math.max(around.most, ofTheDay);
    return isSpike(events, usual, SPIKE_HOUR_FACTOR, MINIMUM_HOUR_EVENTS) ? [{ hour, usual }] : [];
  });
}

function isSpike(events: number, usual: number, factor: number, minimum: number): boolean {
  const beyondChance = events - usual > CHANCE_DEVIATIONS * Math.sqrt(Math.max(usual, 1));
  return events >= minimum && events >= usual * factor && beyondChance;
}

/** The name that most of a day's events more than usual have. */
function cause({ days, events }: Facts, place: number): string {
  const before = new Map(days[place - 1]?.byEvent ?? []);
  const excess = (days[place]?.byEvent ?? []).map(
    ([name, rows]) => [name, rows - (before.get(name) ?? 0)] as const,
  );
  const total = excess.reduce((sum, [, rows]) => sum + Math.max(rows, 0), 0);
  const [name, rows] = excess.reduce((most, one) => (one[1] > most[1] ? one : most), [-1, 0]);
  const event = events[name]?.event;
  if (event === undefined || rows * 2 < total) return "";
  return ` ${shareOf(rows, total)} of what the day has more than the one before is ${quoted(event)}.`;
}
