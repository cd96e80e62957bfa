import { join } from "node:path";
import { CommitQueue } from "./commit-queue.js";
import type { EventStore } from "./event-store.js";
import type { KeyStore } from "./key-store.js";
import { consoleSchema } from "./migrations.js";
import { openDatabase } from "./open-database.js";
import { IN_MEMORY } from "./sqlite-database.js";
import { SqliteEntityHistory } from "./sqlite-entity-history.js";
import { SqliteEntityStore } from "./sqlite-entity-store.js";
import { SqliteKeyStore } from "./sqlite-key-store.js";
import type { Store } from "./store.js";

/** Database file of entities and keys in the data directory. */
export const CONSOLE_DATABASE = "console.db";

/** Keys without the rest of the store: enough to manage them beside a running service. */
export interface OpenKeyStore {
  readonly keys: KeyStore;
  close(): Promise<void>;
}

/** An event store with what it holds open. */
export interface OpenEventStore {
  readonly events: EventStore;
  /** Finishes what was accepted, then lets go of its database. */
  close(): Promise<void>;
}

/** `directory` is the data directory, or `:memory:`. */
export type OpenEvents = (directory: string) => Promise<OpenEventStore>;

/**
 * Opens the store of a data directory, made where it is missing; `:memory:` keeps everything in memory.
 * Throws what `openDatabase` throws.
 */
export async function openSqliteStore(directory: string, openEvents: OpenEvents): Promise<Store> {
  const path = directory === IN_MEMORY ? IN_MEMORY : join(directory, CONSOLE_DATABASE);
  const database = await openDatabase(path, consoleSchema);
  const queue = new CommitQueue(database);
  const opened = await openEvents(directory).catch((error: unknown) => {
    database.close();
    throw error;
  });
  return {
    entities: new SqliteEntityStore(database, queue),
    history: new SqliteEntityHistory(database),
    keys: new SqliteKeyStore(database, queue),
    events: opened.events,
    close: async () => {
      try {
        await opened.close();
      } finally {
        await queue.idle();
        database.close();
      }
    },
  };
}

/** Opens the keys of a data directory, made where it is missing. Throws what `openDatabase` throws. */
export async function openSqliteKeys(directory: string): Promise<OpenKeyStore> {
  const database = await openDatabase(join(directory, CONSOLE_DATABASE), consoleSchema);
  const queue = new CommitQueue(database);
  return {
    keys: new SqliteKeyStore(database, queue),
    close: async () => {
      await queue.idle();
      database.close();
    },
  };
}
