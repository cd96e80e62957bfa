import { dirname } from "node:path";
import { makeDirectory } from "../base/make-directory.js";
import { retryWhileBusy } from "./busy-retry.js";
import { databaseError } from "./database-error.js";
import { IN_MEMORY, SqliteDatabase } from "./sqlite-database.js";
import { migrate, type Schema } from "./sqlite-migration.js";

/**
 * Opens the database, made or brought up to date where needed; directories that are missing are made.
 * Throws `database_unwritable`, `database_damaged`, `database_foreign`, `database_newer`,
 * `database_busy` and `disk_full`.
 */
export async function openDatabase(path: string, schema: Schema): Promise<SqliteDatabase> {
  if (path !== IN_MEMORY) {
    await makeDirectory(dirname(path)).catch((error: unknown) => {
      throw databaseError(path, error);
    });
  }
  return retryWhileBusy(() => {
    const database = new SqliteDatabase(path);
    try {
      migrate(database, schema);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}
