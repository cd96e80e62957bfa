import { DAY_MS, HOUR_MS } from "../../base/day.js";
import { formatCount } from "../../base/format-count.js";
import { createZone } from "../../base/luxon-zone.js";
import type { Zone } from "../../base/zone.js";
import type { ReportSample } from "../../profile/report.js";
import { zoneOfShift } from "../quantities.js";
import { timeFix, timesOf } from "./configuration-fixes.js";
import { median } from "./day-counts.js";
import type { Observation, ReportedFacts } from "./observation.js";
import { MINIMUM_HOUR_EVENTS } from "./thresholds.js";

/** Days on either side that an hour is compared with. */
const DAYS_AROUND = 7;

/** Other days with events that an hour must be compared with. */
const DAYS_COMPARED_MIN = 4;

/** Share of the usual events that a skipped hour may have, because some clocks are wrong. */
const SKIPPED_SHARE_MAX = 0.02;
const REPEATED_FACTOR_MIN = 1.5;

/** Zones with clock changes on the same days at the same reading, which cannot be distinguished by them. */
const zoneSets = [
  ["Europe/Berlin", "Europe/Paris", "Europe/Madrid", "Europe/Rome"],
  ["Europe/London", "Europe/Lisbon"],
  ["Europe/Helsinki", "Europe/Athens"],
  ["America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"],
  ["Australia/Sydney", "Australia/Melbourne"],
  ["Pacific/Auckland"],
  ["America/Santiago"],
] as const;

/** An hour of the wall clock, in ms as if it were UTC, that a change skips or repeats. */
interface ClockChange {
  readonly hourMs: number;
  readonly isSkipped: boolean;
}

/**
 * Hours that are missing and doubled where the clocks of a zone change, which means that times are
 * wall clock times of that zone.
 */
export function findDaylightSaving(facts: ReportedFacts): readonly Observation[] {
  const found = shownChanges(facts);
  return found === undefined ? [] : [describe(facts, found)];
}

/** Hours that are missing because clocks changed, in ms as the report counts them. */
export function skippedHours(facts: ReportedFacts): ReadonlySet<number> {
  const changes = shownChanges(facts)?.changes ?? [];
  return new Set(changes.filter(({ isSkipped }) => isSkipped).map(({ hourMs }) => hourMs));
}

interface ShownChanges {
  readonly zones: readonly string[];
  readonly changes: readonly JudgedChange[];
}

function shownChanges(facts: ReportedFacts): ShownChanges | undefined {
  if (facts.dayZone !== "UTC" || timesOf(facts).some(({ zone }) => zone !== "UTC"))
    return undefined;
  if (timeFormOf(facts) === "zoned") return undefined;
  // Zones take 10 ms to load.
  if (facts.days.filter(({ events }) => events > 0).length <= DAYS_COMPARED_MIN) return undefined;
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

/** Returns an empty list if there are too few events to decide. */
function judge(
  { days }: ReportedFacts,
  { hourMs, isSkipped }: ClockChange,
): readonly JudgedChange[] {
  const day = new Date(hourMs).toISOString().slice(0, 10);
  const hour = new Date(hourMs).getUTCHours();
  const index = days.findIndex((one) => one.day === day);
  if (index < 0) return [];
  const around = days
    .slice(Math.max(0, index - DAYS_AROUND), index + DAYS_AROUND + 1)
    .filter((one) => one.day !== day && one.events > 0);
  const usual = median(around.map(({ hours }) => hours[hour] ?? 0));
  const events = days[index]?.hours[hour] ?? 0;
  if (around.length < DAYS_COMPARED_MIN || usual < MINIMUM_HOUR_EVENTS || days[index]?.events === 0)
    return [];
  const isShown = isSkipped
    ? events <= usual * SKIPPED_SHARE_MAX
    : events >= usual * REPEATED_FACTOR_MIN;
  return [{ hourMs, isSkipped, events, usual, isShown }];
}

function changesOf(zone: Zone, { days }: ReportedFacts): readonly ClockChange[] {
  return days.flatMap(({ day }) => {
    const startMs = Date.parse(day) - DAY_MS / 2;
    const [before, after] = [zone.offsetMs(startMs), zone.offsetMs(startMs + DAY_MS)];
    if (before === after) return [];
    let momentMs = startMs;
    while (zone.offsetMs(momentMs) === before) momentMs += HOUR_MS;
    // A change forward skips an hour as read with the old offset; a change back repeats an hour as
    // read with the new one.
    const isSkipped = after > before;
    return [{ hourMs: momentMs + Math.min(before, after), isSkipped }];
  });
}

function describe(facts: ReportedFacts, { zones, changes }: ShownChanges): Observation {
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
    title: `Times are in a zone with daylight saving, such as ${zone}, but are read as UTC`,
    detail:
      `${evidence.join("; ")}: exactly where the clocks of ${zones.join(", ")} change. ` +
      "Choose the zone that was set in the tool.",
    rows: facts.rows.mapped,
    fix,
  };
}

/** The quietest hours are not at night in UTC, and the form of the times does not explain it. */
export function findShiftedHours(facts: ReportedFacts): Observation | readonly Observation[] {
  const { shiftHours, confidence, evidence } = facts.times.zoneGuess;
  if (confidence !== "strong" || Math.abs(shiftHours) < 2 || timeFormOf(facts) !== "local")
    return [];
  return {
    code: "zone_hours_shifted",
    title: `Times name no zone; read as ${facts.dayZone}, they place most users near ${zoneOfShift(shiftHours)}`,
    detail:
      `${evidence} If your users live there, nothing is wrong. If they live elsewhere, the times are in ` +
      'another zone: set "zone" in mapping.timestamp.',
    rows: facts.rows.mapped,
  };
}

/** The form of times in rows: text without a zone, text with one, or a number of units. */
type ZonedForm = "local" | "zoned" | "epoch" | "unknown";

const dateTime =
  /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?/g;

/** Finds the time of each sample's event in its source row. */
function timeFormOf({ samples }: ReportedFacts): ZonedForm {
  for (const sample of samples) {
    const form = formOf(sample);
    if (form !== "unknown") return form;
  }
  return "unknown";
}

function formOf({ raw, result }: ReportSample): ZonedForm {
  const [, digits] = /"timestamp":(\d+)/.exec(result) ?? [];
  if (digits === undefined) return "unknown";
  const second = Math.floor(Number(digits) / 1000) * 1000;
  for (const [, day, time, zone] of raw.matchAll(dateTime)) {
    // With a zone, the reading differs from the time in UTC.
    if (zone !== undefined) {
      const offset = zone === "UTC" ? "Z" : zone;
      const timeMs = Date.parse(`${day}T${time}${offset}`);
      if (Math.floor(timeMs / 1000) * 1000 === second) return "zoned";
    } else if (Date.parse(`${day}T${time}Z`) === second) return "local";
  }
  const isEpoch = raw.includes(digits) || raw.includes(String(second / 1000));
  return isEpoch ? "epoch" : "unknown";
}
