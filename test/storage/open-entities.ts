import { join } from "node:path";
import { consoleSchema } from "../../src/storage/database-schemas.js";
import { openDatabase } from "../../src/storage/open-database.js";
import { IN_MEMORY, type SqliteDatabase } from "../../src/storage/sqlite-database.js";
import { SqliteEntityStore } from "../../src/storage/sqlite-entity-store.js";
import { VersionedEntities } from "./versioned-writes.js";

/** Entities over a database that the test can get at; in memory where no directory is given. */
export async function openEntities(directory?: string) {
  const path = directory === undefined ? IN_MEMORY : join(directory, "console.db");
  const database = await openDatabase(path, consoleSchema);
  return { path, database, entities: new VersionedEntities(new SqliteEntityStore(database)) };
}

/** Returns the first row of a query that only tests run. */
export function look(database: SqliteDatabase, sql: string): Record<string, unknown> {
  return database.all<Record<string, unknown>>(sql)[0] as Record<string, unknown>;
}
