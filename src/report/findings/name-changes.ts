import { DAY_MS } from "../../base/day.js";
import { formatCount } from "../../base/format-count.js";
import type { ReportEvent } from "../../profile/report.js";
import { bulkOf, median } from "./day-counts.js";
import { type Observation, quoted, type ReportedFacts } from "./observation.js";

/** Expected number of events from which on a time without any is not chance. */
const MISSING_EVENTS_MIN = 30;

/** Days without the event at the start or end of the export from which on it is reported. */
const MISSING_DAYS_MIN = 1.5;

/** Least events and days of a name; rarer names are ignored. */
const STEADY_EVENTS_MIN = 50;
const STEADY_DAYS_MIN = 2;

/** Share of the days between its first and its last on which a steady event occurs. */
const STEADY_SHARE = 0.6;

/** Most days and rate factor between a name that ends and the one that replaces it. */
const CHANGE_DAYS_MAX = 1.5;

/** Most days on which late uploads still have the old name, or early ones the new. */
const OVERLAP_DAYS_MAX = 7;

/** Share of its usual events of a day below which a name is beginning or ending. */
const USUAL_DAY_SHARE = 0.25;
const CHANGE_RATE_FACTOR_MAX = 1.6;

interface Life {
  readonly one: ReportEvent;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Start of the first day, and end of the last one, with about as many events as usual. */
  readonly usualFirstMs: number;
  readonly usualLastMs: number;
  readonly perDay: number;
}

/** Names that end or begin in the middle of the export, and names that replace others. */
export function findNameChanges(facts: ReportedFacts): readonly Observation[] {
  const { days, events } = facts;
  const { start, end } = bulkOf(days);
  const startMs = Date.parse(days[start]?.day ?? "");
  const endMs = Math.min(Date.parse(days[end - 1]?.day ?? "") + DAY_MS, lastMsOf(facts));
  if (Number.isNaN(startMs)) return [];
  const rowsByDay = rowsByDayOf(facts);
  const lives = events
    .map((one, index) => lifeOf(one, rowsByDay.get(index) ?? []))
    .filter((life) => isSteady(life));
  const vanished = lives.filter(({ lastMs, perDay }) => isMissing(endMs - lastMs, perDay));
  const appeared = lives.filter(({ firstMs, perDay }) => isMissing(firstMs - startMs, perDay));
  const changes = vanished.flatMap((old) => {
    const successor = appeared.find((life) => follows(old, life));
    return successor === undefined ? [] : [{ old, successor }];
  });
  const olds = new Set(changes.map(({ old }) => old));
  const successors = new Set(changes.map(({ successor }) => successor));
  return [
    ...changes.map(({ old, successor }) => describeChange(old, successor)),
    ...vanished.filter((life) => !olds.has(life)).map((life) => describeVanished(life, endMs)),
    ...appeared
      .filter((life) => !successors.has(life))
      .map((life) => describeAppeared(life, startMs)),
  ];
}

function lastMsOf({ times }: ReportedFacts): number {
  return times.last === null ? Number.POSITIVE_INFINITY : Date.parse(times.last);
}

type NameDays = readonly [dayMs: number, rows: number];

/** Returns the days of each event, by its index. */
function rowsByDayOf({ days }: ReportedFacts): ReadonlyMap<number, readonly NameDays[]> {
  const rowsByDay = new Map<number, NameDays[]>();
  for (const { day, byEvent } of days) {
    for (const [index, rows] of byEvent) {
      const known = rowsByDay.get(index);
      if (known === undefined) rowsByDay.set(index, [[Date.parse(day), rows]]);
      else known.push([Date.parse(day), rows]);
    }
  }
  return rowsByDay;
}

function lifeOf(one: ReportEvent, days: readonly NameDays[]): Life {
  const [firstMs, lastMs] = [Date.parse(one.firstTimestamp), Date.parse(one.lastTimestamp)];
  const least = median(days.map(([, rows]) => rows)) * USUAL_DAY_SHARE;
  const usual = days.filter(([, rows]) => rows >= least).map(([dayMs]) => dayMs);
  const usualFirstMs = Math.max(firstMs, usual[0] ?? firstMs);
  const usualLastMs = Math.min(lastMs, (usual.at(-1) ?? lastMs) + DAY_MS);
  const perDay = one.rows / Math.max(1, (usualLastMs - usualFirstMs) / DAY_MS);
  return { one, firstMs, lastMs, usualFirstMs, usualLastMs, perDay };
}

function isSteady({ one, firstMs, lastMs }: Life): boolean {
  if (one.rows < STEADY_EVENTS_MIN || one.days < STEADY_DAYS_MIN) return false;
  return one.days >= STEADY_SHARE * Math.max(1, (lastMs - firstMs) / DAY_MS);
}

function isMissing(durationMs: number, perDay: number): boolean {
  const missingDays = durationMs / DAY_MS;
  return missingDays >= MISSING_DAYS_MIN && missingDays * perDay >= MISSING_EVENTS_MIN;
}

function follows(old: Life, next: Life): boolean {
  const apartDays = Math.abs(next.usualFirstMs - old.usualLastMs) / DAY_MS;
  const overlapDays = (old.lastMs - next.firstMs) / DAY_MS;
  const factor = Math.max(old.perDay, next.perDay) / Math.min(old.perDay, next.perDay);
  return (
    old !== next &&
    apartDays <= CHANGE_DAYS_MAX &&
    overlapDays <= OVERLAP_DAYS_MAX &&
    factor <= CHANGE_RATE_FACTOR_MAX
  );
}

function describeChange(old: Life, next: Life): Observation {
  const [before, after] = [old.one.event, next.one.event];
  return {
    code: "name_changed",
    title: `${quoted(before)} was probably renamed to ${quoted(after)} on ${dayOf(next.usualFirstMs)}`,
    detail:
      `The first was last seen at ${old.one.lastTimestamp}, the second first seen at ` +
      `${next.one.firstTimestamp}, both about ${formatCount(old.perDay)} times a day. ` +
      "The module gives both the newer name.",
    rows: old.one.rows,
    event: before,
    day: dayOf(next.usualFirstMs),
    statements: `if (event.event === ${JSON.stringify(before)}) event.event = ${JSON.stringify(after)};`,
  };
}

function describeVanished({ one, lastMs, perDay }: Life, endMs: number): Observation {
  const days = (endMs - lastMs) / DAY_MS;
  return {
    code: "name_vanished",
    title: `${quoted(one.event)} was last seen on ${dayOf(lastMs)}`,
    detail:
      `It occurred about ${formatCount(perDay)} times a day until ${one.lastTimestamp}, and not at all in the ` +
      `${formatCount(days)} days after. It was probably renamed or switched off; metrics on it end there.`,
    rows: one.rows,
    event: one.event,
    day: dayOf(lastMs),
  };
}

function describeAppeared({ one, firstMs, perDay }: Life, startMs: number): Observation {
  const days = (firstMs - startMs) / DAY_MS;
  return {
    code: "name_appeared",
    title: `${quoted(one.event)} was first seen on ${dayOf(firstMs)}`,
    detail:
      `It occurs about ${formatCount(perDay)} times a day from ${one.firstTimestamp} on, and not at all in the ` +
      `${formatCount(days)} days before. There are no earlier days to compare with.`,
    rows: one.rows,
    event: one.event,
    day: dayOf(firstMs),
  };
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
