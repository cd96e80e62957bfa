import { join } from "node:path";
import { CommitQueue } from "../../src/storage/commit-queue.js";
import { consoleSchema } from "../../src/storage/migrations.js";
import { openDatabase } from "../../src/storage/open-database.js";
import { IN_MEMORY, type SqliteDatabase } from "../../src/storage/sqlite-database.js";
import { SqliteEntityHistory } from "../../src/storage/sqlite-entity-history.js";
import { SqliteEntityStore } from "../../src/storage/sqlite-entity-store.js";

/** Entities over a database that the test can get at; in memory where no directory is given. */
export async function openEntities(directory?: string, pause?: () => Promise<void>) {
  const path = directory === undefined ? IN_MEMORY : join(directory, "console.db");
  const database = await openDatabase(path, consoleSchema);
  const queue = new CommitQueue(database, pause);
  return {
    path,
    database,
    queue,
    entities: new SqliteEntityStore(database, queue),
    history: new SqliteEntityHistory(database),
  };
}

/** What the first row of a query that the product does not make shows. */
export function look(database: SqliteDatabase, sql: string): Record<string, unknown> {
  const statement = { sql, bind: () => [] };
  return database.all(statement, {})[0] as Record<string, unknown>;
}
