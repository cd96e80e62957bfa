import { existsSync } from "node:fs";
import { chmod, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { makeDirectory } from "../base/make-directory.js";
import { databaseError } from "./database-error.js";
import type { Schema } from "./database-schemas.js";
import { IN_MEMORY, SqliteDatabase } from "./sqlite-database.js";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

/** Problems of one database that are reported. */
const PROBLEMS_MAX = 100;

/** Returns the query for wrong sums of `event_series`. */
const seriesSums = (table: string, column: string) =>
  `SELECT '${table} ' || ${column} || ' counts ' || total || ' events, but event_series ' || n AS problem
    FROM (SELECT ${column}, sum(total) AS total, sum(n) AS n FROM (
      SELECT ${column}, events AS total, 0 AS n FROM ${table}
      UNION ALL SELECT ${column}, 0, events FROM event_series) GROUP BY ${column}) WHERE total <> n`;

/** Queries for wrong sums, by the table that stores the sums. */
const sums: Readonly<Record<string, string>> = {
  event_series: `SELECT 'event_series ' || id || ' counts ' || events || ' events, but has ' || n AS problem
    FROM (SELECT s.id, s.events, (SELECT count(*) FROM event WHERE series = s.id) AS n
      FROM event_series AS s) WHERE n <> events`,
  event_day: seriesSums("event_day", "day"),
  event_name: seriesSums("event_name", "event"),
  entity_total: `SELECT 'entity_total ' || kind || ' counts ' || entities || ' entities, but there are ' || n
    AS problem FROM (SELECT t.kind, t.entities, (SELECT count(*) FROM entity WHERE kind = t.kind) AS n
      FROM entity_total AS t) WHERE n <> entities`,
  filter_value: `SELECT 'filter_value ' || row || ' counts ' || entities || ' entities, but has ' || n AS problem
    FROM (SELECT v.row, v.entities, (SELECT count(*) FROM filter_entry WHERE value = v.row) AS n
      FROM filter_value AS v) WHERE n <> entities`,
  filter_entry: `SELECT kind || ' ' || id || ' has ' || n || ' values, but is listed under ' || listed
      || ' of them' AS problem
    FROM (SELECT entity.kind, entity.id, count(DISTINCT held.key || item.value) AS n,
        count(DISTINCT entry.value) AS listed
      FROM entity CROSS JOIN json_each(entity.filter_values) AS held
      CROSS JOIN json_each(held.value) AS item
      LEFT JOIN filter_value AS v ON v.kind = entity.kind AND v.property = held.key
        AND v.value = item.value AND v.archived = entity.archived
      LEFT JOIN filter_entry AS entry ON entry.value = v.row
        AND entry.created_time = entity.created_time AND entry.id = entity.id
        AND entry.entity = entity.row
      WHERE item.type = 'text' GROUP BY entity.row) WHERE n <> listed
    UNION ALL SELECT 'filter_entry of ' || id || ' belongs to a missing entity' FROM filter_entry
      WHERE NOT EXISTS (SELECT 1 FROM entity WHERE row = filter_entry.entity)`,
};

/**
 * Checks and opens a database, and creates or updates its tables and missing directories first. Throws
 * `database_unwritable`, `database_damaged`, `database_foreign`, `database_newer`, `database_busy` and
 * `disk_full`.
 */
export async function openDatabase(path: string, schema: Schema): Promise<SqliteDatabase> {
  if (path !== IN_MEMORY) {
    await makePrivateFile(path).catch((error: unknown) => {
      throw databaseError(path, error);
    });
  }
  const database = new SqliteDatabase(path);
  try {
    requireSound(database);
    migrate(database, schema);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws `database_damaged` if the structure of the file is damaged. Reads the whole file. */
function requireSound(database: SqliteDatabase): void {
  const [first] = database.all<{ quick_check: string }>("PRAGMA quick_check(1)");
  if (first === undefined || first.quick_check === "ok") return;
  throw new SwitchyardError(
    "database_damaged",
    `${database.path} is damaged (${first.quick_check}); restore a backup. \`switchyard check-data\` lists the damage`,
  );
}

/**
 * Applies the missing migrations, all of them or none. When several processes start together, one
 * migrates and the others find it done. Throws `database_foreign` and `database_newer` before any
 * change; `database_unwritable` even if no migration is missing.
 */
export function migrate(database: SqliteDatabase, schema: Schema): void {
  appliedMigrations(database, schema);
  database.execute("PRAGMA journal_mode = WAL");
  database.transaction(() => {
    const applied = appliedMigrations(database, schema);
    for (const statements of schema.migrations.slice(applied)) {
      for (const sql of statements) database.execute(sql);
    }
    if (applied === schema.migrations.length) return;
    database.execute(`PRAGMA application_id = ${schema.applicationID}`);
    database.execute(`PRAGMA user_version = ${schema.migrations.length}`);
  });
}

/** Returns the number of applied migrations. Throws `database_foreign` and `database_newer`. */
export function appliedMigrations(database: SqliteDatabase, schema: Schema): number {
  const applied = database.pragma("user_version");
  const known = schema.migrations.length;
  const isEmpty = database.pragma("schema_version") === 0;
  if (!isEmpty && database.pragma("application_id") !== schema.applicationID) {
    throw new SwitchyardError(
      "database_foreign",
      `${database.path} is the database of another program; choose another directory`,
    );
  }
  if (applied > known) {
    throw new SwitchyardError(
      "database_newer",
      `${database.path} has database version ${applied}, but this Switchyard knows versions up to ` +
        `${known}; use the Switchyard that wrote it, or a newer one`,
    );
  }
  return applied;
}

/**
 * Returns the problems of a database: those that SQLite's own check finds, references to missing rows, and
 * stored sums that are wrong. Reads the whole file, also where it cannot be written, unless it has a log or
 * old tables. Throws what `openDatabase` throws.
 */
export function checkDatabase(path: string, schema: Schema): readonly string[] {
  const log = `${path}-wal`;
  const hasLog = existsSync(log);
  try {
    return problemsOf(new SqliteDatabase(path), (database) => migrate(database, schema));
  } catch (error) {
    const isUnwritable = error instanceof SwitchyardError && error.code === "database_unwritable";
    if (!isUnwritable) throw error;
    if (hasLog) throw unchecked(path, `the commits in ${log} must be read with it`);
    const database = new SqliteDatabase(path, { isImmutable: true });
    return problemsOf(database, () => {
      if (appliedMigrations(database, schema) === schema.migrations.length) return;
      throw unchecked(path, "an older Switchyard wrote it, and its tables must be updated first");
    });
  }
}

function unchecked(path: string, reason: string): SwitchyardError {
  return new SwitchyardError(
    "database_unwritable",
    `${path} cannot be checked without write permission: ${reason}. Grant write permission on the file and its directory, or check a copy of the directory`,
  );
}

/** Closes the database. `prepare` brings its tables up to date. */
function problemsOf(
  database: SqliteDatabase,
  prepare: (database: SqliteDatabase) => void,
): readonly string[] {
  try {
    const checked = database.all<{ integrity_check: string }>(
      `PRAGMA integrity_check(${PROBLEMS_MAX})`,
    );
    const faults = checked.map((row) => row.integrity_check).filter((text) => text !== "ok");
    // Other queries of a damaged file can fail.
    if (faults.length > 0) return faults;
    prepare(database);
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

/**
 * Makes a file that only its owner can read, and its directory if it is missing. SQLite gives the files
 * beside a database the mode of the database. Throws the system's error.
 */
export async function makePrivateFile(path: string): Promise<void> {
  await makeDirectory(dirname(path), DIRECTORY_MODE);
  // A file that exists is not opened: closing it drops the locks that this process has on it.
  const made = await open(path, "wx", FILE_MODE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await made?.close();
  // Files of earlier versions.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = await stat(file).then(
      (found) => found.mode,
      () => 0,
    );
    if ((mode & OTHERS) !== 0) await chmod(file, FILE_MODE);
  }
}
