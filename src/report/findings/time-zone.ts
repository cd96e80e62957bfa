import { DAY_MS, HOUR_MS } from "../../base/day.js";
import { createZone } from "../../base/luxon-zone.js";
import type { Zone } from "../../base/zone.js";
import { formatCount } from "../quantities.js";
import { median } from "./day-bulk.js";
import type { Facts, Observation } from "./observation.js";
import { timeFix, timesOf } from "./recorded-options.js";
import { MINIMUM_HOUR_EVENTS } from "./thresholds.js";
import { timeFormOf } from "./time-form.js";

/** Days on either side that an hour is compared with. */
const DAYS_AROUND = 7;

/** Share of the usual events that a skipped hour may have: some clocks are wrong. */
const SKIPPED_SHARE_MAX = 0.02;
const REPEATED_FACTOR_MIN = 1.5;

/**
 * One zone of each set whose clocks change at the same reading on the same days; within a set they
 * cannot be told apart by that.
 */
const zoneSets = [
  ["Europe/Berlin", "Europe/Paris", "Europe/Madrid", "Europe/Rome"],
  ["Europe/London", "Europe/Lisbon"],
  ["Europe/Helsinki", "Europe/Athens"],
  ["America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"],
  ["Australia/Sydney", "Australia/Melbourne"],
  ["Pacific/Auckland"],
  ["America/Santiago"],
] as const;

/** An hour of the wall clock, in ms as if it were UTC, that a change leaves out or shows twice. */
interface ClockChange {
  readonly hourMs: number;
  readonly isSkipped: boolean;
}

/** Hours that are missing and doubled where the clocks of a zone change: times are its wall clock. */
export function findDaylightSaving(facts: Facts): readonly Observation[] {
  const found = shownChanges(facts);
  return found === undefined ? [] : [describe(facts, found)];
}

/** Hours that are missing for that reason, in ms as the report counts them. */
export function skippedHours(facts: Facts): ReadonlySet<number> {
  const changes = shownChanges(facts)?.changes ?? [];
  return new Set(changes.filter(({ isSkipped }) => isSkipped).map(({ hourMs }) => hourMs));
}

interface ShownChanges {
  readonly zones: readonly string[];
  readonly changes: readonly JudgedChange[];
}

function shownChanges(facts: Facts): ShownChanges | undefined {
  if (facts.dayZone !== "UTC" || timesOf(facts).some(({ zone }) => zone !== "UTC"))
    return undefined;
  if (timeFormOf(facts) === "zoned") return undefined;
  for (const zones of zoneSets) {
    const changes = changesOf(createZone(zones[0]), facts).flatMap((change) =>
      judge(facts, change),
    );
    const shown = changes.filter(({ isShown }) => isShown);
    if (shown.length === 0 || !shown.some(({ isSkipped }) => isSkipped)) continue;
    if (shown.length < changes.length) continue;
    return { zones, changes: shown };
  }
  return undefined;
}

interface JudgedChange extends ClockChange {
  readonly events: number;
  readonly usual: number;
  readonly isShown: boolean;
}

/** Nothing where there are too few events to tell. */
function judge({ days }: Facts, { hourMs, isSkipped }: ClockChange): readonly JudgedChange[] {
  const day = new Date(hourMs).toISOString().slice(0, 10);
  const hour = new Date(hourMs).getUTCHours();
  const place = days.findIndex((one) => one.day === day);
  if (place < 0) return [];
  const around = days
    .slice(Math.max(0, place - DAYS_AROUND), place + DAYS_AROUND + 1)
    .filter((one) => one.day !== day && one.events > 0);
  const usual = median(around.map(({ hours }) => hours[hour] ?? 0));
  const events = days[place]?.hours[hour] ?? 0;
  if (around.length < 4 || usual < MINIMUM_HOUR_EVENTS || days[place]?.events === 0) return [];
  const isShown = isSkipped
    ? events <= usual * SKIPPED_SHARE_MAX
    : events >= usual * REPEATED_FACTOR_MIN;
  return [{ hourMs, isSkipped, events, usual, isShown }];
}

function changesOf(zone: Zone, { days }: Facts): readonly ClockChange[] {
  return days.flatMap(({ day }) => {
    const startMs = Date.parse(day) - DAY_MS / 2;
    const [before, after] = [zone.offsetMs(startMs), zone.offsetMs(startMs + DAY_MS)];
    if (before === after) return [];
    let momentMs = startMs;
    while (zone.offsetMs(momentMs) === before) momentMs += HOUR_MS;
    // Forward the readings from the old offset on are skipped; back those from the new one repeat.
    const isSkipped = after > before;
    return [{ hourMs: momentMs + Math.min(before, after), isSkipped }];
  });
}

function describe(facts: Facts, { zones, changes }: ShownChanges): Observation {
  const [zone = ""] = zones;
  const evidence = changes.slice(0, 3).map(({ hourMs, events, usual }) => {
    const hour = new Date(hourMs).toISOString().slice(0, 13).replace("T", " ");
    return `${hour}:00 has ${formatCount(events)} instead of about ${formatCount(usual)} events`;
  });
  const fix = timeFix(
    facts,
    (time) => ({ ...time, zone, ...(timeFormOf(facts) === "epoch" ? { shifted: true } : {}) }),
    false,
  );
  return {
    code: "zone_daylight_saving",
    title: `Times are the wall clock of a zone with daylight saving, such as ${zone}, and are read as UTC`,
    detail:
      `${evidence.join("; ")}: just where the clocks of ${zones.join(", ")} change. ` +
      "Choose the zone that the tool was set to.",
    rows: facts.rows.mapped,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** The quietest hours are not those of a night in UTC, and nothing in the times says why. */
export function findShiftedHours(facts: Facts): readonly Observation[] {
  const { shiftHours, confidence, evidence } = facts.times.zoneGuess;
  if (confidence !== "strong" || Math.abs(shiftHours) < 2 || timeFormOf(facts) !== "local")
    return [];
  const offset = `UTC${shiftHours > 0 ? "-" : "+"}${Math.abs(shiftHours)}`;
  return [
    {
      code: "zone_hours_shifted",
      title: `Times name no zone, are read as ${facts.dayZone}, and then most users live near ${offset}`,
      detail:
        `${evidence} If they do, all is well. If they live elsewhere the times are of another zone: ` +
        'name it as "zone" in mapping.timestamp.',
      rows: facts.rows.mapped,
    },
  ];
}
