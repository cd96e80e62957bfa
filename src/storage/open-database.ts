import { SwitchyardError } from "../base/errors.js";
import { databaseError } from "./database-error.js";
import type { Schema } from "./database-schemas.js";
import { makePrivateFile } from "./private-file.js";
import { IN_MEMORY, SqliteDatabase } from "./sqlite-database.js";

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

function appliedMigrations(database: SqliteDatabase, schema: Schema): number {
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
