import { setImmediate as nextTurn } from "node:timers/promises";
import {
  CursorError,
  type DayRange,
  type EventCount,
  type EventPage,
  type EventQuery,
  type StoredEvent,
} from "./event-store.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { EVENT_COUNTS_PER_TURN, EVENT_PAGE_BYTES_MAX } from "./storage-limits.js";
import { originalText, storedText } from "./stored-text.js";

/** Before and after every day. */
const FIRST_DAY = "";
const LAST_DAY = "~";

/** The events of one name on one day. */
interface Series {
  readonly id: number;
  readonly day: string;
  readonly event: string;
}

/** The position of an event: its series, and its number among all events. */
interface EventPosition {
  readonly series: number;
  readonly sequence: number;
}

interface SizedPosition extends EventPosition {
  readonly bytes: number;
}

const selectCounts = `SELECT day, event, events AS count FROM event_series
  WHERE day >= ? AND day < ? AND (day, event) > (?, ?)
  ORDER BY day, event LIMIT ?`;

const selectSeries = "SELECT id, day, event FROM event_series WHERE id = ?";

// The size of a body is known without reading the body.
const selectInSeries = `SELECT series, sequence, octet_length(body) AS bytes FROM event
  WHERE series = ? AND sequence > ? ORDER BY sequence LIMIT ?`;

const selectAfterSeries = `SELECT event.series, event.sequence, octet_length(event.body) AS bytes
  FROM event_series AS series CROSS JOIN event ON event.series = series.id
  WHERE series.day >= ? AND series.day <= ? AND (series.day, series.event) > (?, ?)
    AND (? IS NULL OR series.event = ?)
  ORDER BY series.day, series.event, event.sequence LIMIT ?`;

const selectEvent = `SELECT series.day, series.event, event.timestamp, event.body
  FROM event JOIN event_series AS series ON series.id = event.series WHERE event.sequence = ?`;

/** Reads events, a bounded amount at a time. */
export class SqliteEventReader {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Returns counts by day, then event. Later counts may include events that were stored meanwhile. */
  async counts({ from, to }: DayRange, limit: number): Promise<readonly EventCount[]> {
    const counts: EventCount[] = [];
    for (let after = { day: FIRST_DAY, event: "" }; ; await nextTurn()) {
      const turnLimit = Math.min(EVENT_COUNTS_PER_TURN, limit - counts.length);
      const range = [from ?? FIRST_DAY, to ?? LAST_DAY];
      const values = [...range, after.day, after.event, turnLimit];
      const part = this.#database.all<EventCount>(selectCounts, values);
      for (const { day, event, count } of part) {
        counts.push({ day, event: originalText(event), count });
      }
      const last = part.at(-1);
      if (last === undefined || part.length < EVENT_COUNTS_PER_TURN || counts.length === limit) {
        return counts;
      }
      after = last;
    }
  }

  async list(query: EventQuery): Promise<EventPage> {
    return this.#database.snapshot(() => {
      const found = this.#positions(query);
      const page = found.slice(0, pageLength(found, query.limit));
      const last = page.at(-1);
      return {
        items: page.map(({ sequence }) => this.#event(sequence)),
        nextCursor: last === undefined || page.length === found.length ? undefined : cursorOf(last),
      };
    });
  }

  /** Returns the positions of one more event than the page may hold, if there are as many. */
  #positions(query: EventQuery): readonly SizedPosition[] {
    const limit = query.limit + 1;
    if (query.cursor === undefined) return this.#after({ day: FIRST_DAY, event: "" }, query, limit);
    const { series: id, sequence } = positionOf(query.cursor);
    const series = this.#database.first<Series>(selectSeries, [id]);
    if (series === undefined || !belongs(series, query)) throw new CursorError();
    const rest = this.#database.all<SizedPosition>(selectInSeries, [id, sequence, limit]);
    const remaining = limit - rest.length;
    return remaining === 0 ? rest : [...rest, ...this.#after(series, query, remaining)];
  }

  #after(
    series: Pick<Series, "day" | "event">,
    { day, event }: EventQuery,
    limit: number,
  ): readonly SizedPosition[] {
    const name = event === undefined ? null : storedText(event);
    const days = [day ?? FIRST_DAY, day ?? LAST_DAY];
    const values = [...days, series.day, series.event, name, name, limit];
    return this.#database.all<SizedPosition>(selectAfterSeries, values);
  }

  #event(sequence: number): StoredEvent {
    const found = this.#database.first<StoredEvent>(selectEvent, [sequence]);
    if (found === undefined) throw new Error(`event ${sequence} was there and is gone`);
    const { day, event, timestamp, body } = found;
    return { day, event: originalText(event), timestamp, body };
  }
}

function belongs({ day, event }: Series, query: EventQuery): boolean {
  return (
    (query.day === undefined || query.day === day) &&
    (query.event === undefined || storedText(query.event) === event)
  );
}

/** Returns the number of events in a page: at least one, else at most EVENT_PAGE_BYTES_MAX bytes. */
function pageLength(found: readonly SizedPosition[], limit: number): number {
  let bytes = 0;
  for (const [index, sized] of found.slice(0, limit).entries()) {
    bytes += sized.bytes;
    if (bytes > EVENT_PAGE_BYTES_MAX && index > 0) return index;
  }
  return Math.min(found.length, limit);
}

function cursorOf({ series, sequence }: EventPosition): string {
  return Buffer.from(`${series}.${sequence}`).toString("base64url");
}

/** Throws `CursorError` for a text that `cursorOf` never returns. */
function positionOf(cursor: string): EventPosition {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString());
  const position = { series: Number(match?.[1]), sequence: Number(match?.[2]) };
  // Decoding is lenient; only a text that encodes back to itself is a cursor.
  if (match === null || cursorOf(position) !== cursor) throw new CursorError();
  return position;
}
