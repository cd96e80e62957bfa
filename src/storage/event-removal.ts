import { isOfDevice, isOfUser } from "./person-conditions.js";
import type { SqliteDatabase, SqlValue } from "./sqlite-database.js";
import {
  EVENT_KEYS_LOOKED_AT_PER_SLICE,
  EVENTS_REMOVED_PER_SLICE,
  EVENTS_SEARCHED_PER_SLICE,
  SERIES_REMOVED_PER_SLICE,
} from "./storage-limits.js";

/** The ids of one person. An event is the person's if it has at least one of them. */
export interface Person {
  readonly userID: string | undefined;
  readonly stableID: string | undefined;
}

/** One transaction that removes a bounded number of rows. */
export type RemovalStep =
  /** Events of days before this one, `YYYY-MM-DD`. */
  | { readonly what: "days"; readonly before: string }
  /** Idempotency keys after this one that arrived before a day. Days are counted since 1970-01-01. */
  | {
      readonly what: "keys";
      readonly after: string;
      readonly arrivedBefore: number;
      readonly today: number;
    }
  /** At most `EVENTS_REMOVED_PER_SLICE` events of a person. */
  | { readonly what: "person"; readonly person: Person; readonly sequences: readonly number[] }
  /** Moves the log into the file, so that it has no removed events. */
  | { readonly what: "log" };

export interface RemovedSlice {
  /** Events that were removed. */
  readonly events: number;
  /** The idempotency key to go on after; undefined if nothing is left to remove. */
  readonly next: string | undefined;
}

/** Removes rows in the thread that writes them. */
export interface EventRemover {
  /** Durable when it resolves, complete or not at all. */
  remove(step: RemovalStep): Promise<RemovedSlice>;
}

/** A part of a search for the events of a person. */
export interface PersonSearch {
  readonly sequences: readonly number[];
  /** The event to go on after; undefined at the end. */
  readonly next: number | undefined;
}

/** Takes each id of a person twice. JSON that SQLite cannot read belongs to anybody, until it was read. */
const isOfPerson = `CASE WHEN json_valid(body) THEN
    (? IS NOT NULL AND ${isOfUser}) OR (? IS NOT NULL AND ${isOfDevice})
  ELSE 1 END`;

const searchPerson = `SELECT sequence, CASE WHEN json_valid(body) THEN NULL ELSE body END AS unread
  FROM event WHERE sequence > ? AND sequence <= ? AND ${isOfPerson} ORDER BY sequence`;

const sliceEnd = `SELECT max(sequence) AS sequence FROM
  (SELECT sequence FROM event WHERE sequence > ? ORDER BY sequence LIMIT ${EVENTS_SEARCHED_PER_SLICE})`;

const removePerson = `DELETE FROM event
  WHERE sequence IN (SELECT value FROM json_each(?)) AND ${isOfPerson} RETURNING series`;

const oldSeries = `SELECT id FROM event_series WHERE day < ? ORDER BY day LIMIT ${SERIES_REMOVED_PER_SLICE}`;

const removeInSeries = `DELETE FROM event WHERE sequence IN
  (SELECT sequence FROM event WHERE series = ? ORDER BY sequence LIMIT ?)`;

const countRemoved = "UPDATE event_series SET events = events - ? WHERE id = ?";

const removeEmpty = "DELETE FROM event_series WHERE id = ? AND events = 0";

const keySliceEnd = `SELECT max(key_digest) AS digest FROM (SELECT key_digest FROM event_request
  WHERE key_digest > ? ORDER BY key_digest LIMIT ${EVENT_KEYS_LOOKED_AT_PER_SLICE})`;

/** Keys of earlier versions have no day: they are as new as the first look at them. */
const dateKeys = `UPDATE event_request SET arrived_day = ?
  WHERE key_digest > ? AND key_digest <= ? AND arrived_day IS NULL`;

const removeKeys =
  "DELETE FROM event_request WHERE key_digest > ? AND key_digest <= ? AND arrived_day < ?";

/** Does one step. */
export function removeEvents(database: SqliteDatabase, step: RemovalStep): RemovedSlice {
  switch (step.what) {
    case "days":
      return database.transaction(() => removeDays(database, step.before));
    case "keys":
      return database.transaction(() => {
        const { after, arrivedBefore, today } = step;
        const end = database.first<{ digest: string | null }>(keySliceEnd, [after])?.digest;
        if (end === undefined || end === null) return { events: 0, next: undefined };
        database.run(dateKeys, [today, after, end]);
        database.run(removeKeys, [after, end, arrivedBefore]);
        return { events: 0, next: end };
      });
    case "person":
      return removeOfPerson(database, step.person, step.sequences);
    case "log":
      database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
      return { events: 0, next: undefined };
  }
}

function removeDays(database: SqliteDatabase, before: string): RemovedSlice {
  const series = database.all<{ id: number }>(oldSeries, [before]);
  let events = 0;
  for (const { id } of series) {
    const limit = EVENTS_REMOVED_PER_SLICE - events;
    const { changes } = database.run(removeInSeries, [id, limit]);
    events += changes;
    database.run(countRemoved, [changes, id]);
    database.run(removeEmpty, [id]);
    if (events >= EVENTS_REMOVED_PER_SLICE) break;
  }
  return { events, next: series.length === 0 ? undefined : "" };
}

function removeOfPerson(
  database: SqliteDatabase,
  person: Person,
  sequences: readonly number[],
): RemovedSlice {
  // Writes zeros over what is removed: free pages keep no personal data.
  database.execute("PRAGMA secure_delete = ON");
  try {
    return database.transaction(() => {
      const values = [JSON.stringify(sequences), ...idsOf(person)];
      const removed = database.all<{ series: number }>(removePerson, values);
      const counts = new Map<number, number>();
      for (const { series } of removed) counts.set(series, (counts.get(series) ?? 0) + 1);
      for (const [id, count] of counts) {
        database.run(countRemoved, [count, id]);
        database.run(removeEmpty, [id]);
      }
      return { events: removed.length, next: undefined };
    });
  } finally {
    database.execute("PRAGMA secure_delete = OFF");
  }
}

/** Finds events of a person after an event, and up to another one. */
export function findPerson(
  database: SqliteDatabase,
  person: Person,
  after: number,
  last: number,
): PersonSearch {
  const found = database.first<{ sequence: number | null }>(sliceEnd, [after])?.sequence;
  if (found === undefined || found === null) return { sequences: [], next: undefined };
  const end = Math.min(found, last);
  const rows = database.all<{ sequence: number; unread: string | null }>(searchPerson, [
    after,
    end,
    ...idsOf(person),
  ]);
  const sequences = rows
    .filter(({ unread }) => unread === null || isBodyOf(unread, person))
    .map(({ sequence }) => sequence);
  return { sequences, next: found < last ? found : undefined };
}

interface BodyOfUser {
  readonly user?: {
    readonly userID?: unknown;
    readonly stableID?: unknown;
    readonly targetingKey?: unknown;
    readonly customIDs?: { readonly stableID?: unknown } | null;
  } | null;
}

/** Does what `isOfPerson` does. */
function isBodyOf(body: string, { userID, stableID }: Person): boolean {
  const { user } = JSON.parse(body) as BodyOfUser;
  const devices = [user?.stableID, user?.customIDs?.stableID, user?.targetingKey];
  return (
    (userID !== undefined && String(user?.userID) === userID) ||
    (stableID !== undefined && devices.map(String).includes(stableID))
  );
}

function idsOf({ userID, stableID }: Person): SqlValue[] {
  return [userID ?? null, stableID ?? null].flatMap((id) => [id, id]);
}
