import type { EventCommit } from "./event-store.js";
import type { PackedIntake, PackedSeries } from "./packed-events.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import type { Statement } from "./sqlite-statement.js";

const rememberRequest: Statement<string, never> = {
  sql: "INSERT OR IGNORE INTO event_request VALUES (?)",
  bind: (keyDigest) => [keyDigest],
};

type SeriesTotal = Pick<PackedSeries, "day" | "event" | "count">;

const countSeries: Statement<SeriesTotal, { readonly id: number }> = {
  sql: `INSERT INTO event_series (day, event, events) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET events = events + excluded.events RETURNING id`,
  bind: ({ day, event, count }) => [day, event, count],
};

/**
 * All rows in one statement, taken apart by SQLite: twice as fast as a statement for each, as what
 * costs is the way into the driver.
 */
const insertEvents: Statement<{ readonly id: number; readonly rows: string }, never> = {
  sql: `INSERT INTO event (series, timestamp, body)
    SELECT ?, value ->> 0, value ->> 1 FROM json_each(?)`,
  bind: ({ id, rows }) => [id, rows],
};

/** Writes events into an open database, many requests in one transaction. */
export class SqliteEventWriter {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /**
   * Stores all of it, durably, or throws and stores nothing. Requests whose key is known are passed
   * over.
   */
  write(intakes: readonly PackedIntake[]): EventCommit {
    return this.#database.transaction(() => {
      const fresh = intakes.filter((intake) => this.#isFresh(intake));
      let events = 0;
      for (const { rows, ...total } of mergedSeries(fresh)) {
        const [series] = this.#database.all(countSeries, total);
        if (series === undefined) throw new Error("a series was counted and has no id");
        this.#database.run(insertEvents, { id: series.id, rows: `[${rows.join(",")}]` });
        events += total.count;
      }
      return { requests: intakes.length, events };
    });
  }

  #isFresh({ keyDigest }: PackedIntake): boolean {
    return keyDigest === undefined || this.#database.run(rememberRequest, keyDigest).changes > 0;
  }
}

interface MergedSeries {
  readonly day: string;
  readonly event: string;
  count: number;
  readonly rows: string[];
}

/** What several requests brought for one day and name goes in together. */
function mergedSeries(intakes: readonly PackedIntake[]): Iterable<MergedSeries> {
  const merged = new Map<string, MergedSeries>();
  for (const { series } of intakes) {
    for (const { day, event, count, rows } of series) {
      const known = merged.get(day + event);
      if (known === undefined) {
        merged.set(day + event, { day, event, count, rows: [rows] });
      } else {
        known.count += count;
        known.rows.push(rows);
      }
    }
  }
  return merged.values();
}
