import { SwitchyardError } from "../base/errors.js";
import type { SqliteDatabase } from "./sqlite-database.js";

/** What makes a database what the code expects. */
export interface Schema {
  /** 32 bits that tell our databases from those of others: `PRAGMA application_id`. */
  readonly applicationID: number;
  /** Each one a list of SQL statements; `PRAGMA user_version` counts those that were applied. */
  readonly migrations: readonly (readonly string[])[];
}

/**
 * Applies what is missing, all of it or nothing; of several processes one does it and the others find
 * it done. Throws `database_foreign` and `database_newer`, and then nothing was changed;
 * `database_unwritable` too where nothing is missing.
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

function appliedMigrations(database: SqliteDatabase, schema: Schema): number {
  const applied = database.pragma("user_version");
  const known = schema.migrations.length;
  const isEmpty = database.pragma("schema_version") === 0;
  if (!isEmpty && database.pragma("application_id") !== schema.applicationID) {
    throw new SwitchyardError(
      "database_foreign",
      `${database.path}: this is another program's database; choose another directory`,
    );
  }
  if (applied > known) {
    throw new SwitchyardError(
      "database_newer",
      `${database.path}: the database has version ${applied}, and this Switchyard knows versions ` +
        `up to ${known}; use the Switchyard that wrote it, or a newer one`,
    );
  }
  return applied;
}
