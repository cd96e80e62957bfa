import { statSync } from "node:fs";
import { join } from "node:path";
import { SwitchyardError, UsageError } from "../../base/errors.js";
import { option } from "../../base/option-text.js";
import { consoleFile, eventFile } from "../data-files.js";
import type { Schema } from "../database-schemas.js";
import { appliedMigrations } from "../open-database.js";
import { IN_MEMORY, SqliteDatabase } from "../sqlite-database.js";
import { SNAPSHOT_ATTEMPTS_MAX } from "../storage-limits.js";

/** One database of a snapshot, in a read transaction that lasts until it is closed. */
interface FrozenDatabase {
  /** `console.db` or `events.db`. */
  readonly file: string;
  /** Its number of migrations. */
  readonly version: number;
  readonly database: SqliteDatabase;
}

/** Both databases of a data directory as they were at one moment. Writers go on meanwhile. */
export interface DataSnapshot {
  /** ms since the epoch. */
  readonly time: number;
  readonly databases: readonly FrozenDatabase[];
  close(): void;
}

/**
 * Opens a snapshot of a data directory, which a service may use at the same time. The moment is that at
 * which the transaction on `console.db` began: the one on `events.db` began before, and no events were
 * committed in between, else both begin again. So each write that was answered before the call is there, and
 * no event of an entity version that is not. Throws `data_missing`, `database_missing`,
 * `database_foreign`, `database_newer` and `database_busy`.
 */
export function openSnapshot(directory: string, now: () => number): DataSnapshot {
  requireData(directory);
  const opened: SqliteDatabase[] = [];
  const close = () => {
    for (const one of opened.splice(0)) one.close();
  };
  const open = ({ name }: { readonly name: string }) => {
    const database = new SqliteDatabase(join(directory, name), { readOnly: true });
    opened.push(database);
    return database;
  };
  try {
    const entities = open(consoleFile);
    const events = open(eventFile);
    begin(entities, events, open(eventFile));
    const frozen = (file: string, database: SqliteDatabase, schema: Schema) => {
      return { file, database, version: appliedMigrations(database, schema) };
    };
    const databases = [
      frozen(consoleFile.name, entities, consoleFile.schema),
      frozen(eventFile.name, events, eventFile.schema),
    ];
    return { time: now(), databases, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Begins both transactions at one moment. `watcher` is another connection to the events. */
function begin(entities: SqliteDatabase, events: SqliteDatabase, watcher: SqliteDatabase): void {
  // A transaction reads its moment at its first statement.
  const freeze = (database: SqliteDatabase) => {
    database.execute("BEGIN");
    database.first("SELECT 1 FROM sqlite_schema");
  };
  for (let count = 0; count < SNAPSHOT_ATTEMPTS_MAX; count += 1) {
    const before = watcher.dataVersion();
    freeze(events);
    freeze(entities);
    if (watcher.dataVersion() === before) return;
    for (const database of [events, entities]) database.execute("ROLLBACK");
  }
  throw new SwitchyardError(
    "database_busy",
    `${events.path}: events were stored ${SNAPSHOT_ATTEMPTS_MAX} times in a row while both databases were opened; try again later`,
  );
}

function requireData(directory: string): void {
  const files = [consoleFile, eventFile].map(({ name }) => join(directory, name));
  const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const missing = directory === IN_MEMORY ? files : files.filter((path) => bytesOf(path) === 0);
  if (missing.length === files.length) {
    throw new UsageError(
      "data_missing",
      `There is no service data in ${directory}: pass the directory of \`switchyard serve\` as ${option("data")}.`,
    );
  }
  if (missing.length === 0) return;
  throw new SwitchyardError(
    "database_missing",
    `${missing.join(", ")} is missing or empty; a backup needs both databases`,
  );
}
