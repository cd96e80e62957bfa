import { setImmediate as nextTurn } from "node:timers/promises";
import { cursorOf, type EventPlace, placeOf } from "./event-cursor.js";
import {
  CursorError,
  type DayRange,
  type EventCount,
  type EventPage,
  type EventQuery,
  type StoredEvent,
} from "./event-store.js";
import { EVENT_COUNTS_PER_TURN, EVENT_PAGE_BYTES_MAX } from "./limits.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import type { Statement } from "./sqlite-statement.js";
import { originalText, storedText } from "./stored-text.js";

/** Before and after every day. */
const FIRST_DAY = "";
const LAST_DAY = "~";

interface CountsPart {
  readonly from: string;
  readonly to: string;
  readonly after: Pick<EventCount, "day" | "event">;
  readonly limit: number;
}

const selectCounts: Statement<CountsPart, EventCount> = {
  sql: `SELECT day, event, events AS count FROM event_series
    WHERE day >= ? AND day < ? AND (day, event) > (?, ?)
    ORDER BY day, event LIMIT ?`,
  bind: ({ from, to, after, limit }) => [from, to, after.day, after.event, limit],
};

interface Series {
  readonly id: number;
  readonly day: string;
  readonly event: string;
}

const selectSeries: Statement<number, Series> = {
  sql: "SELECT id, day, event FROM event_series WHERE id = ?",
  bind: (id) => [id],
};

/** Where an event is, and how large: the body itself is not read for that. */
interface Sized extends EventPlace {
  readonly bytes: number;
}

interface InSeries {
  readonly series: number;
  readonly after: number;
  readonly limit: number;
}

const selectInSeries: Statement<InSeries, Sized> = {
  sql: `SELECT series, sequence, octet_length(body) AS bytes FROM event
    WHERE series = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
  bind: ({ series, after, limit }) => [series, after, limit],
};

interface AfterSeries {
  readonly query: EventQuery;
  readonly after: Pick<Series, "day" | "event">;
  readonly limit: number;
}

const selectAfterSeries: Statement<AfterSeries, Sized> = {
  sql: `SELECT event.series, event.sequence, octet_length(event.body) AS bytes
    FROM event_series AS series CROSS JOIN event ON event.series = series.id
    WHERE series.day >= ? AND series.day <= ? AND (series.day, series.event) > (?, ?)
      AND (? IS NULL OR series.event = ?)
    ORDER BY series.day, series.event, event.sequence LIMIT ?`,
  bind: ({ query: { day, event }, after, limit }) => {
    const name = event === undefined ? null : storedText(event);
    return [day ?? FIRST_DAY, day ?? LAST_DAY, after.day, after.event, name, name, limit];
  },
};

const selectEvent: Statement<number, StoredEvent> = {
  sql: `SELECT series.day, series.event, event.timestamp, event.body
    FROM event JOIN event_series AS series ON series.id = event.series WHERE event.sequence = ?`,
  bind: (sequence) => [sequence],
};

/** Reads events back. Every call reads a bounded amount at a time. */
export class SqliteEventReader {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** By day, then event. What is stored meanwhile may be in the later ones already. */
  async counts({ from, to }: DayRange, limit: number): Promise<readonly EventCount[]> {
    const counts: EventCount[] = [];
    const range = { from: from ?? FIRST_DAY, to: to ?? LAST_DAY };
    for (let after = { day: FIRST_DAY, event: "" }; ; await nextTurn()) {
      const turnLimit = Math.min(EVENT_COUNTS_PER_TURN, limit - counts.length);
      const part = this.#database.all(selectCounts, { ...range, after, limit: turnLimit });
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
      const found = this.#places(query);
      const page = found.slice(0, pageLength(found, query.limit));
      const last = page.at(-1);
      return {
        items: page.map(({ sequence }) => this.#event(sequence)),
        nextCursor: last === undefined || page.length === found.length ? undefined : cursorOf(last),
      };
    });
  }

  /** One more than the page may hold, where there are so many. */
  #places(query: EventQuery): readonly Sized[] {
    const limit = query.limit + 1;
    if (query.cursor === undefined) {
      return this.#database.all(selectAfterSeries, { query, after: { day: "", event: "" }, limit });
    }
    const { series: id, sequence } = placeOf(query.cursor);
    const series = this.#database.first(selectSeries, id);
    if (series === undefined || !belongs(series, query)) throw new CursorError();
    const rest = this.#database.all(selectInSeries, { series: id, after: sequence, limit });
    const remaining = limit - rest.length;
    if (remaining === 0) return rest;
    const following = { query, after: series, limit: remaining };
    return [...rest, ...this.#database.all(selectAfterSeries, following)];
  }

  #event(sequence: number): StoredEvent {
    const found = this.#database.first(selectEvent, sequence);
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

/** Events that make up a page: at least one, and no more bytes than EVENT_PAGE_BYTES_MAX otherwise. */
function pageLength(found: readonly Sized[], limit: number): number {
  let bytes = 0;
  for (const [index, sized] of found.slice(0, limit).entries()) {
    bytes += sized.bytes;
    if (bytes > EVENT_PAGE_BYTES_MAX && index > 0) return index;
  }
  return Math.min(found.length, limit);
}
