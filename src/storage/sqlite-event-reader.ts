import { setImmediate as nextTurn } from "node:timers/promises";
import type { AnyObject } from "../contract/fields.js";
import { FIRST_DAY, LAST_DAY } from "./event-counts.js";
import {
  CursorError,
  type EventPage,
  type EventQuery,
  type LatestEvent,
  type StoredEvent,
} from "./event-store.js";
import { isOfDevice, isOfUser } from "./person-conditions.js";
import { originalText, type SqliteDatabase, type SqlValue, storedText } from "./sqlite-database.js";
import {
  EVENT_PAGE_BYTES_MAX,
  EVENTS_SEARCHED_MAX,
  USER_EVENTS_PER_TURN,
  USER_EVENTS_SEARCHED_MAX,
} from "./storage-limits.js";

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
  /** 1 if the event belongs to the user and the device of the query. */
  readonly isOfUser: number;
}

const selectLast = "SELECT max(sequence) AS sequence FROM event";

const selectSeries = "SELECT id, day, event FROM event_series WHERE id = ?";

interface StoredUser {
  readonly sequence: number;
  /** JSON; null if there is none, or it is not an object. */
  readonly user: string | null;
}

const selectUsers = `SELECT sequence, CASE WHEN json_valid(body)
    AND json_type(body, '$.user') = 'object' THEN body -> '$.user' END AS user
  FROM event WHERE sequence < ? AND sequence > ? ORDER BY sequence DESC LIMIT ${USER_EVENTS_PER_TURN}`;

const selectLatest = `SELECT series.event, event.timestamp,
    CASE WHEN json_valid(body) THEN CAST(body ->> '$.user.userID' AS TEXT) END AS userID
  FROM event JOIN event_series AS series ON series.id = event.series
  ORDER BY event.sequence DESC LIMIT ?`;

/** Takes the id twice. SQLite does not read JSON that is nested too deeply: such events have no user. */
const hasID = (isOf: string) => `CASE WHEN ? IS NULL THEN 1
  WHEN json_valid(body) THEN ${isOf} ELSE 0 END`;

// The size of a body is known without reading the body. Takes each id of the user twice.
const position = `series, sequence, octet_length(body) AS bytes,
  (${hasID(isOfUser)}) AND (${hasID(isOfDevice)}) AS isOfUser`;

const selectInSeries = `SELECT ${position} FROM event
  WHERE series = ? AND sequence > ? ORDER BY sequence LIMIT ?`;

// Each condition is a range of an index: a page does not look at the series before or between its own.
const selectAfterSeries = (condition: string) => `SELECT ${position}
  FROM event_series AS series CROSS JOIN event ON event.series = series.id
  WHERE ${condition} AND series.day >= ? AND series.day <= ? AND (series.day, series.event) > (?, ?)
  ORDER BY series.day, series.event, event.sequence LIMIT ?`;
const selectOfAnyName = selectAfterSeries("true");
const selectOfName = selectAfterSeries("series.event = ?");

const selectEvent = `SELECT series.day, series.event, event.timestamp, event.body
  FROM event JOIN event_series AS series ON series.id = event.series WHERE event.sequence = ?`;

/** Reads events, a bounded amount at a time. */
export class SqliteEventReader {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Returns the sequence of the newest event; 0 without events. */
  lastSequence(): number {
    return this.#database.first<{ sequence: number | null }>(selectLast)?.sequence ?? 0;
  }

  latest(count: number): readonly LatestEvent[] {
    const rows = this.#database.all<LatestEvent>(selectLatest, [count]);
    return rows.map(({ event, ...rest }) => ({ event: originalText(event), ...rest }));
  }

  async recentUsers(count: number): Promise<readonly AnyObject[]> {
    const users = new Map<string, AnyObject>();
    const last = this.lastSequence() - USER_EVENTS_SEARCHED_MAX;
    let before = Number.MAX_SAFE_INTEGER;
    for (; users.size < count; await nextTurn()) {
      const rows = this.#database.all<StoredUser>(selectUsers, [before, last]);
      for (const { user } of rows) {
        const parsed = JSON.parse(user ?? "null") as AnyObject | null;
        const id = parsed?.["userID"] ?? parsed?.["stableID"];
        if (parsed === null || id === undefined || id === null || users.size === count) continue;
        if (!users.has(String(id))) users.set(String(id), parsed);
      }
      const end = rows.at(-1);
      if (end === undefined) break;
      before = end.sequence;
    }
    return [...users.values()];
  }

  async list(query: EventQuery): Promise<EventPage> {
    return this.#database.snapshot(() => {
      const isSearch = query.userID !== undefined || query.stableID !== undefined;
      const searchedMax = isSearch ? EVENTS_SEARCHED_MAX : query.limit + 1;
      const searched = this.#positions(query, searchedMax);
      const found = searched.filter(({ isOfUser }) => isOfUser === 1);
      const page = found.slice(0, pageLength(found, query.limit));
      const last = page.length < found.length ? page.at(-1) : undefined;
      // Events after a full search are for the next page.
      const end = last ?? (searched.length === searchedMax ? searched.at(-1) : undefined);
      return {
        items: page.map(({ sequence }) => this.#event(sequence)),
        nextCursor: end === undefined ? undefined : cursorOf(end),
      };
    });
  }

  /** Returns the positions of the next events, at most `limit`. */
  #positions(query: EventQuery, limit: number): readonly SizedPosition[] {
    if (query.cursor === undefined) return this.#after({ day: FIRST_DAY, event: "" }, query, limit);
    const { series: id, sequence } = positionOf(query.cursor);
    const series = this.#database.first<Series>(selectSeries, [id]);
    if (series === undefined || !belongs(series, query)) throw new CursorError();
    const rest = this.#database.all<SizedPosition>(selectInSeries, [
      ...usersOf(query),
      id,
      sequence,
      limit,
    ]);
    const remaining = limit - rest.length;
    return remaining === 0 ? rest : [...rest, ...this.#after(series, query, remaining)];
  }

  #after(
    series: Pick<Series, "day" | "event">,
    query: EventQuery,
    limit: number,
  ): readonly SizedPosition[] {
    const { day, event } = query;
    const range = [day ?? series.day, day ?? LAST_DAY, series.day, series.event, limit];
    return event === undefined
      ? this.#database.all<SizedPosition>(selectOfAnyName, [...usersOf(query), ...range])
      : this.#database.all<SizedPosition>(selectOfName, [
          ...usersOf(query),
          storedText(event),
          ...range,
        ]);
  }

  #event(sequence: number): StoredEvent {
    const found = this.#database.first<StoredEvent>(selectEvent, [sequence]);
    if (found === undefined) throw new Error(`event ${sequence} has disappeared`);
    const { day, event, timestamp, body } = found;
    return { day, event: originalText(event), timestamp, body };
  }
}

function usersOf({ userID, stableID }: EventQuery): SqlValue[] {
  const ids = [userID ?? null, stableID ?? null];
  return ids.flatMap((id) => [id, id]);
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
