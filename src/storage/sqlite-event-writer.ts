import type { PackedIntake } from "./event-queue.js";
import type { EventCommit } from "./event-store.js";
import { countGateAnswers, GATE_EXPOSURE } from "./gate-answers.js";
import type { SqliteDatabase } from "./sqlite-database.js";

const rememberRequest = "INSERT OR IGNORE INTO event_request VALUES (?, ?)";

const countSeries = `INSERT INTO event_series (day, event, events) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET events = events + excluded.events RETURNING id`;

/**
 * Inserts all rows with one statement; SQLite splits them. It is twice as fast as a statement for each
 * row, because most of the time goes into calls of the driver.
 */
const insertEvents = `INSERT INTO event (series, timestamp, body)
  SELECT ?, value ->> 0, value ->> 1 FROM json_each(?)`;

/** Writes events into an open database, many requests per transaction. */
export class SqliteEventWriter {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Stores everything, durably, or throws and stores nothing. Skips requests with a known key. */
  write(intakes: readonly PackedIntake[]): EventCommit {
    return this.#database.transaction(() => {
      const fresh = intakes.filter((intake) => this.#isFresh(intake));
      const arrivedDay = intakes[0]?.arrivedDay ?? 0;
      let events = 0;
      for (const { day, event, count, rows } of mergedSeries(fresh)) {
        const [series] = this.#database.all<{ id: number }>(countSeries, [day, event, count]);
        if (series === undefined) throw new Error("a series was counted and has no id");
        const stored = this.#database.run(insertEvents, [series.id, `[${rows.join(",")}]`]);
        if (event === GATE_EXPOSURE) {
          const lastSequence = Number(stored.lastInsertRowid);
          countGateAnswers(this.#database, { day, lastSequence, count, arrivedDay });
        }
        events += count;
      }
      return { requests: intakes.length, events };
    });
  }

  #isFresh({ keyDigest, arrivedDay }: PackedIntake): boolean {
    if (keyDigest === undefined) return true;
    return this.#database.run(rememberRequest, [keyDigest, arrivedDay]).changes > 0;
  }
}

interface MergedSeries {
  readonly day: string;
  readonly event: string;
  count: number;
  readonly rows: string[];
}

/** Merges the events of several requests that have the same day and name. */
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
