import { clockText } from "../../base/day.js";
import type { ReportDay } from "../../profile/report.js";
import { formatCount } from "../quantities.js";
import { median, usualOfDay, usualOfHour, usualOfWeekday } from "./day-counts.js";
import { type Facts, type Observation, quoted, shareOf, sumOf } from "./observation.js";
import {
  CHANCE_DEVIATIONS,
  MINIMUM_DAY_EVENTS,
  MINIMUM_HOUR_EVENTS,
  SPIKE_DAY_FACTOR,
  SPIKE_HOUR_FACTOR,
} from "./thresholds.js";

const ADVICE =
  "The usual causes are loops, tests and bots: check these events before you count them.";

/** Hours with many times the usual events, by the day itself and by the same hour of the days around. */
export function findSpikeHours(facts: Facts): readonly Observation[] {
  return facts.days.flatMap((day, index) =>
    spikeHoursOf(facts.days, index).map(({ hour, usual }) => ({
      code: "spike_hour" as const,
      title: `${day.day} at ${clockText(hour)} has ${formatCount(day.hours[hour] ?? 0)} events in one hour`,
      detail: `About ${formatCount(usual)} are usual in that hour.${cause(facts, index)} ${ADVICE}`,
      rows: Math.round((day.hours[hour] ?? 0) - usual),
      day: day.day,
    })),
  );
}

/** Days with many times the usual events, even without the hours that are spikes. */
export function findSpikeDays(facts: Facts): readonly Observation[] {
  return facts.days.flatMap((day, index) => {
    const ofWeekday = usualOfWeekday(facts.days, index);
    const usual = ofWeekday ?? usualOfDay(facts.days, index)?.most;
    if (usual === undefined) return [];
    const excess = sumOf(
      spikeHoursOf(facts.days, index),
      ({ hour, usual: hourly }) => (day.hours[hour] ?? 0) - hourly,
    );
    if (!isSpike(day.events - excess, usual, SPIKE_DAY_FACTOR, MINIMUM_DAY_EVENTS)) return [];
    return {
      code: "spike_day" as const,
      title: `${day.day} has ${formatCount(day.events)} events`,
      detail: `${ofWeekday === undefined ? "The days around have" : "On this weekday, usual are"} about ${formatCount(usual)}${ofWeekday === undefined ? " each" : ""}.${cause(facts, index)} ${ADVICE}`,
      rows: Math.round(day.events - usual),
      day: day.day,
    };
  });
}

function spikeHoursOf(days: readonly ReportDay[], index: number) {
  const hours = days[index]?.hours ?? [];
  const ofTheDay = median(hours);
  return hours.flatMap((events, hour) => {
    const around = usualOfHour(days, index, hour);
    if (around === undefined) return [];
    const usual = Math.max(around.most, ofTheDay);
    return isSpike(events, usual, SPIKE_HOUR_FACTOR, MINIMUM_HOUR_EVENTS) ? [{ hour, usual }] : [];
  });
}

function isSpike(events: number, usual: number, factor: number, minimum: number): boolean {
  const beyondChance = events - usual > CHANCE_DEVIATIONS * Math.sqrt(Math.max(usual, 1));
  return events >= minimum && events >= usual * factor && beyondChance;
}

/** Names the event that causes most of the increase over the day before. */
function cause({ days, events }: Facts, index: number): string {
  const before = new Map(days[index - 1]?.byEvent ?? []);
  const excess = (days[index]?.byEvent ?? []).map(
    ([name, rows]) => [name, rows - (before.get(name) ?? 0)] as const,
  );
  const total = sumOf(excess, ([, rows]) => Math.max(rows, 0));
  const [name, rows] = excess.reduce((most, one) => (one[1] > most[1] ? one : most), [-1, 0]);
  const event = events[name]?.event;
  if (event === undefined || rows * 2 < total) return "";
  return ` ${shareOf(rows, total)} of the increase over the day before is ${quoted(event)}.`;
}
