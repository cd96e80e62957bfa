import { existsSync } from "node:fs";
import { join } from "node:path";
import { omitUndefined } from "../base/omit-undefined.js";
import {
  consoleFile,
  eventFile,
  requireAllDatabases,
  requireSpace,
  watchDataFiles,
} from "./data-files.js";
import { consoleSchema, eventSchema } from "./database-schemas.js";
import { EventQueue, type EventQueueOptions, type EventWriter, packIntake } from "./event-queue.js";
import type { EventReaderThread } from "./event-reader-thread.js";
import type { EventStore } from "./event-store.js";
import { countExperiment } from "./experiment-counts.js";
import type { KeyStore } from "./key-store.js";
import { LazyThread } from "./lazy-thread.js";
import { openDatabase } from "./open-database.js";
import { IN_MEMORY, SqliteDatabase } from "./sqlite-database.js";
import { SqliteEntityStore } from "./sqlite-entity-store.js";
import { SqliteEventReader } from "./sqlite-event-reader.js";
import { SqliteEventWriter } from "./sqlite-event-writer.js";
import { SqliteKeyStore } from "./sqlite-key-store.js";
import { SERVICE_BUSY_TIMEOUT_MS } from "./storage-limits.js";
import type { Store } from "./store.js";
import { StoreThread } from "./store-thread.js";
import { ThreadEventWriter } from "./thread-event-writer.js";
import { WriteBatch } from "./write-batch.js";

/** The keys alone, to manage them while the service runs. */
interface OpenKeyStore {
  readonly keys: KeyStore;
  close(): void;
}

/** An event store with the resources that it holds. */
export interface OpenEventStore {
  readonly events: EventStore;
  /** Finishes accepted requests, then releases the database. */
  close(): Promise<void>;
}

/** `directory` is the data directory, or `:memory:`. */
export type OpenEvents = (directory: string) => Promise<OpenEventStore>;

interface StoreOptions {
  /** Returns ms since the epoch. */
  readonly now?: () => number;
  /**
   * The compiled `store-worker`, which reads long lists and makes long writes in threads. Without it, and
   * for `:memory:`, the caller's thread does.
   */
  readonly workerEntry?: URL;
}

/**
 * Opens the store of a data directory, which is created if it is missing; `:memory:` keeps everything
 * in memory. Throws what `openDatabase` throws.
 */
export async function openSqliteStore(
  directory: string,
  openEvents: OpenEvents,
  { now = Date.now, workerEntry }: StoreOptions = {},
): Promise<Store> {
  const path = directory === IN_MEMORY ? IN_MEMORY : join(directory, consoleFile.name);
  const database = await openDatabase(path, consoleSchema);
  database.setBusyTimeout(SERVICE_BUSY_TIMEOUT_MS);
  const thread = () => workerEntry && new StoreThread(workerEntry, path, now);
  const [reader, writer] = path === IN_MEMORY ? [] : [thread(), thread()];
  const threads = reader && writer && { reader, writer };
  const batch = new WriteBatch(database);
  const entities = new SqliteEntityStore(database, omitUndefined({ now, threads, batch }));
  const opened = await openEvents(directory).catch((error: unknown) => {
    database.close();
    throw error;
  });
  const requireFiles = watchDataFiles(directory);
  return {
    entities,
    keys: new SqliteKeyStore(database, batch),
    events: opened.events,
    probe: async (isWriting) => {
      await requireFiles();
      if (!isWriting) return;
      await requireSpace(directory);
      await entities.writeNothing();
    },
    close: async () => {
      try {
        await opened.close();
      } finally {
        await entities.finish();
        await Promise.all([reader?.close(), writer?.close()]);
        database.close();
      }
    },
  };
}

/**
 * Opens the keys of a data directory, which is created with both databases if it is missing. Throws
 * `database_missing` and what `openDatabase` throws.
 */
export async function openSqliteKeys(directory: string): Promise<OpenKeyStore> {
  await requireAllDatabases(directory);
  const events = join(directory, eventFile.name);
  if (!existsSync(events)) (await openDatabase(events, eventFile.schema)).close();
  const database = await openDatabase(join(directory, consoleFile.name), consoleSchema);
  return { keys: new SqliteKeyStore(database), close: () => database.close() };
}

interface EventStoreOptions extends EventQueueOptions {
  /**
   * The compiled `event-writer-thread`, which writes events in a separate thread: syncs of the disk do not
   * block other work. Without it, and for `:memory:`, the caller's thread writes.
   */
  readonly writerEntry?: URL;
  /** The compiled `event-reader-thread`, which makes long readings. The same holds without it. */
  readonly readerEntry?: URL;
}

/**
 * Opens the events of a data directory, which is created if it is missing; `:memory:` keeps them in
 * memory. Throws what `openDatabase` throws.
 */
export async function openEventStore(
  directory: string,
  { writerEntry, readerEntry, ...options }: EventStoreOptions = {},
): Promise<OpenEventStore> {
  const path = directory === IN_MEMORY ? IN_MEMORY : join(directory, eventFile.name);
  if (writerEntry === undefined || path === IN_MEMORY) {
    const database = await openDatabase(path, eventSchema);
    return eventStoreOver(database, writerOnThisThread(database), undefined, options);
  }
  const writer = new ThreadEventWriter(writerEntry, path);
  // The thread creates or updates the database.
  await writer.start();
  return eventStoreOver(new SqliteDatabase(path), writer, readerEntry, options);
}

/** Returns a store that reads from `database` and closes it at the end. */
function eventStoreOver(
  database: SqliteDatabase,
  writer: EventWriter,
  readerEntry: URL | undefined,
  options: EventQueueOptions,
): OpenEventStore {
  const queue = new EventQueue(writer, options);
  const reader = new SqliteEventReader(database);
  const thread = readerEntry && eventReaderThread(readerEntry);
  return {
    events: {
      append: async (intake) => queue.append(packIntake(intake)),
      counts: (range, limit) => reader.counts(range, limit),
      list: (query) => reader.list(query),
      countExperiment: async (question) =>
        thread === undefined
          ? countExperiment(database, question)
          : thread.run((remote) => remote.call("countExperiment", database.path, question)),
    },
    close: async () => {
      await queue.close();
      await thread?.close();
      database.close();
    },
  };
}

function eventReaderThread(entry: URL): LazyThread<EventReaderThread> {
  return new LazyThread({
    entry,
    name: "the thread that reads events",
    close: (thread) => thread.call("close"),
  });
}

function writerOnThisThread(database: SqliteDatabase): EventWriter {
  const writer = new SqliteEventWriter(database);
  return {
    write: async (batch) => writer.write(batch),
    close: async () => {},
  };
}
