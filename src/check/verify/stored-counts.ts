import { DAY_MS, dayAfter, formatDay } from "../../base/day.js";
import { sum } from "../../base/sum.js";
import type { Manifest } from "../../ledger/manifest.js";

/** Exceeds the number of names that a run counts one by one. */
const COUNTS_MAX = 1_000_000;

/** A line of `events-by-day.jsonl`. */
export interface DayLine {
  readonly day: string;
  readonly events: readonly (readonly [event: string, rows: number])[];
  /** Rows of further names. */
  readonly others?: number;
}

/** A count of the export and the same count of the service. */
export interface CountPair {
  /** For people: `"page_view" on 2026-01-31`. */
  readonly what: string;
  readonly mapped: number;
  readonly stored: number;
}

/** Yields the counts of each day and name, in order. For exports with days in UTC. */
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
 * Yields the counts of each name over all days. For exports with days in another zone, because the
 * service counts in UTC.
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
    const stored = sum([...found.values()], (count) => count);
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

/** Yields the first count of days that the export does not have; one is enough. */
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

/** Returns the UTC day of an ISO 8601 time, in days since 1970-01-01. */
function dayOfTime(time: string): number {
  return Math.floor(Date.parse(time) / DAY_MS);
}

/** The stored events of a service, to be compared with an export. */
export interface StoredEvents {
  /**
   * Counts, ordered by day (UTC), then event; at most `limit` of them. `from` inclusive, `to`
   * exclusive.
   */
  counts(
    range: { readonly from: string | undefined; readonly to: string | undefined },
    limit: number,
  ): Promise<readonly { readonly day: string; readonly event: string; readonly count: number }[]>;
  /** The first events of a name and day (UTC). Fewer than the limit if they are large. */
  list(query: {
    readonly day: string;
    readonly event: string;
    readonly limit: number;
    readonly cursor: undefined;
  }): Promise<{ readonly items: readonly StoredEventText[] }>;
}

export interface StoredEventText {
  readonly event: string;
  /** Milliseconds since 1970 UTC. */
  readonly timestamp: number;
  /** The event as JSON text, with numbers exactly as they were sent. */
  readonly body: string;
}
