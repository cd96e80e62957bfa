import { DAY_MS, formatDay, parseDay } from "../../base/day.js";
import type { Manifest } from "../manifest.js";

/** Far more names than a day can have that is compared name by name. */
const COUNTS_MAX = 1_000_000;

/** A line of `events-by-day.jsonl`. */
export interface DayLine {
  readonly day: string;
  readonly events: readonly (readonly [event: string, rows: number])[];
  /** Rows of names that are not told apart. */
  readonly others?: number;
}

/** Something that is counted on both sides. */
export interface CountPair {
  /** For people: `"page_view" on 2026-01-31`. */
  readonly what: string;
  readonly mapped: number;
  readonly stored: number;
}

/** Counts of each day and name on both sides, in order. For exports whose days are those of UTC. */
export async function* pairsByDay(
  lines: readonly DayLine[],
  stored: StoredEvents,
): AsyncIterable<CountPair> {
  let from: string | undefined;
  for (const line of lines) {
    yield* unexpected(stored, from, line.day);
    const next = dayAfter(line.day);
    const counts = await stored.counts({ from: line.day, to: next }, COUNTS_MAX);
    const found = new Map(counts.map(({ event, count }) => [event, count]));
    yield* pairsOf(line, found, ` on ${line.day}`);
    from = next;
  }
  yield* unexpected(stored, from, undefined);
}

/**
 * Counts of each name on both sides, over all days: where the export's days are those of another
 * zone than the service's.
 */
export async function* pairsByName(
  { events, otherEvents, totals }: Manifest,
  stored: StoredEvents,
): AsyncIterable<CountPair> {
  const { firstTimestamp, lastTimestamp } = totals;
  if (firstTimestamp === null || lastTimestamp === null) {
    yield* unexpected(stored, undefined, undefined);
    return;
  }
  const found = new Map<string, number>();
  const [first, last] = [dayOfTime(firstTimestamp), dayOfTime(lastTimestamp)];
  for (let day = first; day <= last; day++) {
    const range = { from: formatDay(day), to: formatDay(day + 1) };
    for (const { event, count } of await stored.counts(range, COUNTS_MAX)) {
      found.set(event, (found.get(event) ?? 0) + count);
    }
  }
  const line = {
    events: events.map(({ event, rows }) => [event, rows] as const),
    others: otherEvents?.rows ?? 0,
  };
  yield* unexpected(stored, undefined, formatDay(first));
  yield* pairsOf(line, found, "");
  yield* unexpected(stored, formatDay(last + 1), undefined);
}

function* pairsOf(
  { events, others = 0 }: Pick<DayLine, "events" | "others">,
  found: ReadonlyMap<string, number>,
  when: string,
): Iterable<CountPair> {
  if (others > 0) {
    const stated = events.reduce((sum, [, rows]) => sum + rows, others);
    const stored = [...found.values()].reduce((sum, count) => sum + count, 0);
    yield { what: `events of all names${when}`, mapped: stated, stored };
    return;
  }
  const known = new Set<string>();
  for (const [event, mapped] of events) {
    known.add(event);
    yield { what: `${JSON.stringify(event)}${when}`, mapped, stored: found.get(event) ?? 0 };
  }
  for (const [event, stored] of found) {
    if (!known.has(event)) yield { what: `${JSON.stringify(event)}${when}`, mapped: 0, stored };
  }
}

/** What is stored of days that the export has not; the first such day tells enough. */
async function* unexpected(
  stored: StoredEvents,
  from: string | undefined,
  to: string | undefined,
): AsyncIterable<CountPair> {
  if (from !== undefined && from === to) return;
  for (const { day, event, count } of await stored.counts({ from, to }, 1)) {
    yield { what: `${JSON.stringify(event)} on ${day}`, mapped: 0, stored: count };
  }
}

/** The day in UTC of a moment in ISO 8601, in days since 1970-01-01. */
function dayOfTime(time: string): number {
  return Math.floor(Date.parse(time) / DAY_MS);
}

function dayAfter(day: string): string {
  return formatDay(parseDay(day) + 1);
}

/** What a service has stored, for whoever compares it with what was sent. */
export interface StoredEvents {
  /** By day (UTC), then event; at most `limit` of them. `from` inclusive, `to` exclusive. */
  counts(
    range: { readonly from: string | undefined; readonly to: string | undefined },
    limit: number,
  ): Promise<readonly { readonly day: string; readonly event: string; readonly count: number }[]>;
  /** The first events of a name and day (UTC). May be fewer than the limit where they are large. */
  list(query: {
    readonly day: string;
    readonly event: string;
    readonly limit: number;
    readonly cursor: undefined;
  }): Promise<{ readonly items: readonly StoredEventText[] }>;
}

export interface StoredEventText {
  readonly event: string;
  /** ms since the epoch. */
  readonly timestamp: number;
  /** The event as JSON text, digit for digit as it was sent. */
  readonly body: string;
}
