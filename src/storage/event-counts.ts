import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  DayCount,
  DayRange,
  NameCount,
  NameCounts,
  NameQuery,
  StoredEventCount,
} from "./event-store.js";
import { originalText, type SqliteDatabase, storedText } from "./sqlite-database.js";
import { EVENT_COUNTS_PER_TURN } from "./storage-limits.js";

/** Texts that sort before and after every day. */
export const FIRST_DAY = "";
export const LAST_DAY = "~";

const selectCounts = `SELECT day, event, events AS count FROM event_series
  WHERE day >= ? AND day < ? AND (day, event) > (?, ?)
  ORDER BY day, event LIMIT ?`;

const selectDays = `SELECT day, events AS count FROM event_day
  WHERE day >= ? AND day < ? ORDER BY day LIMIT ?`;

const selectDaysOfName = `SELECT day, events AS count FROM event_series
  WHERE event = ? AND day >= ? AND day < ? ORDER BY day LIMIT ?`;

const selectNames =
  "SELECT event, events AS count FROM event_name WHERE event >= ? ORDER BY event LIMIT ?";

const selectTotal = "SELECT coalesce(sum(events), 0) AS events FROM event_day";

/** Counts events from the sums that the database keeps, without reading events. */
export class EventCounts {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Returns counts by day, then event. Later counts may include events that were stored meanwhile. */
  async byDayAndName(range: DayRange, limit: number): Promise<readonly StoredEventCount[]> {
    const counts: StoredEventCount[] = [];
    for await (const part of this.#series(range, limit)) {
      for (const { day, event, count } of part) {
        counts.push({ day, event: originalText(event), count });
      }
    }
    return counts;
  }

  /** Returns the days that have events, of one name or of all. */
  byDay({ from, to }: DayRange, event: string | undefined, limit: number): readonly DayCount[] {
    const range = [from ?? FIRST_DAY, to ?? LAST_DAY, limit];
    return event === undefined
      ? this.#database.all<DayCount>(selectDays, range)
      : this.#database.all<DayCount>(selectDaysOfName, [storedText(event), ...range]);
  }

  /** Returns the names with the most events. Reads a sum for each name, or for each day and name of a range. */
  async byName({ from, to, search, limit }: NameQuery): Promise<NameCounts> {
    const isWhole = from === undefined && to === undefined;
    const parts = isWhole ? this.#names() : this.#series({ from, to }, Number.POSITIVE_INFINITY);
    const sums = new Map<string, number>();
    for await (const part of parts) {
      for (const { event, count } of part) sums.set(event, (sums.get(event) ?? 0) + count);
    }
    const wanted = search?.toLowerCase() ?? "";
    const found: NameCount[] = [];
    let total = 0;
    for (const [stored, count] of sums) {
      const event = originalText(stored);
      if (!event.toLowerCase().includes(wanted)) continue;
      found.push({ event, count });
      total += count;
    }
    found.sort((left, right) => right.count - left.count || (left.event < right.event ? -1 : 1));
    const items = found.slice(0, limit);
    const shown = items.reduce((sum, { count }) => sum + count, 0);
    return { items, others: { names: found.length - items.length, count: total - shown } };
  }

  /** Returns the number of stored events. */
  total(): number {
    return this.#database.first<{ events: number }>(selectTotal)?.events ?? 0;
  }

  /** Reads at most `limit` stored sums by day and name, some in each turn of the event loop. */
  async *#series({ from, to }: DayRange, limit: number): AsyncGenerator<StoredEventCount[]> {
    let after = { day: FIRST_DAY, event: "" };
    for (let read = 0; read < limit; await nextTurn()) {
      const turnLimit = Math.min(EVENT_COUNTS_PER_TURN, limit - read);
      // A turn starts at the day of the last one: SQLite seeks by the first condition alone.
      const start = after.day === FIRST_DAY ? (from ?? FIRST_DAY) : after.day;
      const values = [start, to ?? LAST_DAY, after.day, after.event, turnLimit];
      const part = this.#database.all<StoredEventCount>(selectCounts, values);
      yield part;
      read += part.length;
      const last = part.at(-1);
      if (last === undefined || part.length < turnLimit) return;
      after = last;
    }
  }

  /** Reads the sums by name, some in each turn of the event loop. */
  async *#names(): AsyncGenerator<NameCount[]> {
    for (let from = ""; ; await nextTurn()) {
      const values = [from, EVENT_COUNTS_PER_TURN + 1];
      const part = this.#database.all<NameCount>(selectNames, values);
      const next = part.length > EVENT_COUNTS_PER_TURN ? part.pop() : undefined;
      yield part;
      if (next === undefined) return;
      from = next.event;
    }
  }
}
