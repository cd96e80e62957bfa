import { clockText, HOUR_MS } from "../../base/day.js";
import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { sum } from "../../base/sum.js";
import type { ReportDay } from "../../profile/report.js";
import { formatNumberOf } from "../quantities.js";
import {
  bulkOf,
  type IndexRun,
  median,
  runsOf,
  usualOfDay,
  usualOfHour,
  usualOfWeekday,
} from "./day-counts.js";
import { type Observation, quoted, type ReportedFacts } from "./observation.js";
import {
  CHANCE_DEVIATIONS,
  GAP_DAY_SHARE,
  GAP_HOUR_SHARE,
  MINIMUM_DAY_EVENTS,
  MINIMUM_HOUR_EVENTS,
  SPIKE_DAY_FACTOR,
  SPIKE_HOUR_FACTOR,
} from "./thresholds.js";
import { skippedHours } from "./time-zone.js";

/** Days with far fewer events than the days around them and than the same weekday. */
export function findGapDays({ days }: ReportedFacts): readonly Observation[] {
  return gapRuns(days).map(({ start, end, usual }) => {
    const run = days.slice(start, end);
    const [first, last] = [run[0]?.day ?? "", run.at(-1)?.day ?? ""];
    const events = sum(run, (day) => day.events);
    const expected = total(run.map((_, index) => usualOfWeekday(days, start + index) ?? usual));
    const missing = Math.round(expected - events);
    return {
      code: "gap_days" as const,
      title:
        first === last
          ? `${first} has ${almostNone(events)}`
          : `${first} to ${last} have ${almostNone(events)}`,
      detail:
        `About ${formatCount(expected)} are usual, so about ${formatCount(missing)} are missing. ` +
        "No setting can recover them. Export these days again.",
      rows: missing,
      day: first,
    };
  });
}

function almostNone(events: number): string {
  return events === 0 ? "no events" : `only ${formatNumberOf(events, "event")}`;
}

interface GapRun extends IndexRun {
  readonly usual: number;
}

function gapRuns(days: readonly ReportDay[]): readonly GapRun[] {
  const { start, end } = bulkOf(days);
  const counts = days.map(({ events }) => events);
  const runs: GapRun[] = [];
  for (let from = start + 1; from < end - 1; from++) {
    const before = median(counts.slice(Math.max(start, from - 3), from));
    let to = from;
    while (to < end - 1 && (counts[to] ?? 0) < before * GAP_DAY_SHARE) to++;
    if (to === from) continue;
    const after = median(counts.slice(to, Math.min(end, to + 3)));
    const usual = Math.min(before, after);
    const low = counts.slice(from, to);
    const isGap =
      usual >= MINIMUM_DAY_EVENTS &&
      low.every((count) => count < usual * GAP_DAY_SHARE) &&
      !low.every((count, index) =>
        isUsualForWeekday(counts, from + index, count, runs, start, end),
      );
    if (isGap && isBeyondChance(total(low), usual * low.length)) {
      runs.push({ start: from, end: to, usual });
    }
    from = to - 1;
  }
  return runs;
}

/** Returns true for a day that is quiet every week, such as a Sunday. */
function isUsualForWeekday(
  counts: readonly number[],
  index: number,
  count: number,
  gaps: readonly GapRun[],
  start: number,
  end: number,
): boolean {
  const same = [-21, -14, -7, 7, 14, 21]
    .map((distance) => index + distance)
    .filter((other) => other >= start && other < end)
    .filter((other) => !gaps.some((gap) => other >= gap.start && other < gap.end))
    .map((other) => counts[other] ?? 0);
  return same.length > 0 && count >= median(same) / 2;
}

function isBeyondChance(events: number, usual: number): boolean {
  return usual - events > CHANCE_DEVIATIONS * Math.sqrt(usual) || (events === 0 && usual >= 25);
}

function total(numbers: readonly number[]): number {
  return sum(numbers, (one) => one);
}

/** Hours with almost no events, although the same hours of the days around have many. */
export function findGapHours(facts: ReportedFacts): readonly Observation[] {
  const { days } = facts;
  const explained = skippedHours(facts);
  const gapDays = new Set(
    gapRuns(days).flatMap(({ start, end }) => days.slice(start, end).map(({ day }) => day)),
  );
  return days.flatMap((day, index) => {
    if (gapDays.has(day.day) || usualOfDay(days, index) === undefined) return [];
    // A quiet day has quiet hours: expect at most what its own busier hours have.
    const busy = upperQuartile(day.hours);
    const usual = day.hours.map((_, hour) =>
      Math.min(busy, usualOfHour(days, index, hour)?.least ?? 0),
    );
    const isGap = (events: number, hour: number) =>
      isGapHour(events, usual[hour] ?? 0) && !explained.has(Date.parse(day.day) + hour * HOUR_MS);
    return runsOf(day.hours.map(isGap)).map((run) => describeHours(day.day, day.hours, usual, run));
  });
}

function upperQuartile(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.75)] ?? 0;
}

function isGapHour(events: number, usual: number): boolean {
  return usual >= MINIMUM_HOUR_EVENTS && events <= usual * GAP_HOUR_SHARE;
}

function describeHours(
  day: string,
  hours: readonly number[],
  usual: readonly number[],
  { start, end }: IndexRun,
): Observation {
  const events = total(hours.slice(start, end));
  const expected = total(usual.slice(start, end));
  return {
    code: "gap_hours",
    title: `${day} from ${clockText(start)} to ${clockText(end)} has ${almostNone(events)}`,
    detail:
      `The same hours of the days around have about ${formatCount(expected)}. No setting can ` +
      "recover them. Export these hours again.",
    rows: Math.round(expected - events),
    day,
  };
}

const ADVICE =
  "The usual causes are loops, tests and bots: check these events before you count them.";

/** Hours with many times the usual events, by the day itself and by the same hour of the days around. */
export function findSpikeHours(facts: ReportedFacts): readonly Observation[] {
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
export function findSpikeDays(facts: ReportedFacts): readonly Observation[] {
  return facts.days.flatMap((day, index) => {
    const ofWeekday = usualOfWeekday(facts.days, index);
    const usual = ofWeekday ?? usualOfDay(facts.days, index)?.most;
    if (usual === undefined) return [];
    const excess = sum(
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
function cause({ days, events }: ReportedFacts, index: number): string {
  const before = new Map(days[index - 1]?.byEvent ?? []);
  const excess = (days[index]?.byEvent ?? []).map(
    ([name, rows]) => [name, rows - (before.get(name) ?? 0)] as const,
  );
  const total = sum(excess, ([, rows]) => Math.max(rows, 0));
  const [name, rows] = excess.reduce((most, one) => (one[1] > most[1] ? one : most), [-1, 0]);
  const event = events[name]?.event;
  if (event === undefined || rows * 2 < total) return "";
  return ` ${formatShare(rows, total)} of the increase over the day before is ${quoted(event)}.`;
}
