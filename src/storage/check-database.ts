import type { Schema } from "./database-schemas.js";
import { migrate } from "./open-database.js";
import { SqliteDatabase } from "./sqlite-database.js";

/** Faults of one database that are reported. */
const PROBLEMS_MAX = 100;

/** Sums that are kept beside what they count. Each query selects the sums that are wrong. */
const sums: Readonly<Record<string, string>> = {
  event_series: `SELECT 'event_series ' || id || ' counts ' || events || ' events, but has ' || n AS problem
    FROM (SELECT s.id, s.events, (SELECT count(*) FROM event WHERE series = s.id) AS n
      FROM event_series AS s) WHERE n <> events`,
  entity_total: `SELECT 'entity_total ' || kind || ' counts ' || entities || ' entities, but there are ' || n
    AS problem FROM (SELECT t.kind, t.entities, (SELECT count(*) FROM entity WHERE kind = t.kind) AS n
      FROM entity_total AS t) WHERE n <> entities`,
};

/**
 * Returns what is wrong with a database: SQLite's own check, references to rows that are missing, and
 * sums that differ from what they count. It reads the whole file. Throws what `openDatabase` throws.
 */
export function checkDatabase(path: string, schema: Schema): readonly string[] {
  const database = new SqliteDatabase(path);
  try {
    const checked = database.all<{ integrity_check: string }>(
      `PRAGMA integrity_check(${PROBLEMS_MAX})`,
    );
    const faults = checked.map((row) => row.integrity_check).filter((text) => text !== "ok");
    // Other queries of a damaged file can fail.
    if (faults.length > 0) return faults;
    migrate(database, schema);
    const lost = database.all<{ table: string; rowid: number; parent: string }>(
      "PRAGMA foreign_key_check",
    );
    const references = lost.map(
      ({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a missing row of ${parent}`,
    );
    return [...references, ...wrongSums(database)].slice(0, PROBLEMS_MAX);
  } finally {
    database.close();
  }
}

function wrongSums(database: SqliteDatabase): string[] {
  const tables = database.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
  );
  return tables.flatMap(({ name }) => {
    const query = sums[name];
    if (query === undefined) return [];
    return database.all<{ problem: string }>(query).map(({ problem }) => problem);
  });
}
