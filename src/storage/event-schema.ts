import type { Schema } from "./sqlite-migration.js";

/** The database of events. As for every database, a migration that was released is never changed. */
export const eventSchema: Schema = {
  // "SwYe" in ASCII.
  applicationID: 0x53_77_59_65,
  migrations: [
    [
      // The events of one name on one day, counted in the transaction that stores them.
      `CREATE TABLE event_series (
        id INTEGER PRIMARY KEY,
        day TEXT NOT NULL,
        event TEXT NOT NULL,
        events INTEGER NOT NULL,
        UNIQUE (day, event)
      ) STRICT`,
      `CREATE TABLE event (
        sequence INTEGER PRIMARY KEY,
        series INTEGER NOT NULL REFERENCES event_series,
        timestamp INTEGER NOT NULL,
        body TEXT NOT NULL
      ) STRICT`,
      `CREATE INDEX event_by_series ON event (series)`,
      `CREATE TABLE event_request (
        key_digest TEXT PRIMARY KEY
      ) STRICT, WITHOUT ROWID`,
    ],
  ],
};
