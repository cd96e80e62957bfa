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
import { EventCounts } from "./event-counts.js";
import { EventKeeping } from "./event-keeping.js";
import { EventQueue, type EventQueueOptions, type EventWriter, packIntake } from "./event-queue.js";
import { type EventRemover, removeEvents } from "./event-removal.js";
import type { EventStore } from "./event-store.js";
import type { KeyStore } from "./key-store.js";
import { type LongReadings, readingsInThread, readingsOver } from "./long-readings.js";
import { openDatabase } from "./open-database.js";
import { IN_MEMORY, SqliteDatabase } from "./sqlite-database.js";
import { SqliteEntityStore } from "./sqlite-entity-store.js";
import { SqliteEventReader } from "./sqlite-event-reader.js";
import { SqliteEventWriter } from "./sqlite-event-writer.js";
import { SqliteKeyStore } from "./sqlite-key-store.js";
import { SqliteSessionStore } from "./sqlite-session-store.js";
import { SERVICE_BUSY_TIMEOUT_MS } from "./storage-limits.js";
import type { CountedKind, Store } from "./store.js";
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

const entityTotals = "SELECT kind, entities AS count FROM entity_total ORDER BY kind";

const keyTotals = `SELECT kind, count(*) AS count FROM key WHERE revoked_time IS NULL
  GROUP BY kind ORDER BY kind`;

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
  const files = await watchDataFiles(directory);
  return {
    entities,
    keys: new SqliteKeyStore(database, batch),
    sessions: new SqliteSessionStore(database, batch),
    events: opened.events,
    size: async () => ({
      console: database.size(),
      events: await opened.events.size(),
      entities: database.all<CountedKind>(entityTotals),
      keys: database.all<CountedKind>(keyTotals),
    }),
    probe: async (isWriting) => {
      await files.requireSame();
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
        await files.close();
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
  /** Returns ms since the epoch. */
  readonly now?: () => number;
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
    const readings = readingsOver(database);
    return eventStoreOver(database, writerOnThisThread(database), readings, options);
  }
  const writer = new ThreadEventWriter(writerEntry, path);
  // The thread creates or updates the database.
  await writer.start();
  const database = new SqliteDatabase(path);
  const readings =
    readerEntry === undefined ? readingsOver(database) : readingsInThread(readerEntry, path);
  return eventStoreOver(database, writer, readings, options);
}

/** Returns a store that reads from `database` and closes it at the end. */
function eventStoreOver(
  database: SqliteDatabase,
  writer: EventWriter & EventRemover,
  readings: LongReadings,
  { now = Date.now, ...options }: Pick<EventStoreOptions, "now"> & EventQueueOptions,
): OpenEventStore {
  const reader = new SqliteEventReader(database);
  const counts = new EventCounts(database);
  const keeping = new EventKeeping({
    remover: writer,
    find: readings.findPerson,
    lastSequence: () => reader.lastSequence(),
    now,
  });
  const close = async () => {
    await keeping.close();
    await writer.close();
  };
  const queue = new EventQueue({ write: (batch) => writer.write(batch), close }, options);
  return {
    events: {
      append: async (intake) => queue.append(packIntake(intake, now())),
      counts: (range, limit) => counts.byDayAndName(range, limit),
      countDays: async (range, event, limit) => counts.byDay(range, event, limit),
      countNames: (query) => counts.byName(query),
      list: (query) => reader.list(query),
      lastSequence: () => reader.lastSequence(),
      recentUsers: (count) => reader.recentUsers(count),
      latest: async (count) => reader.latest(count),
      countExperiment: readings.countExperiment,
      gateAnswers: readings.gateAnswers,
      removeBefore: (day) => keeping.removeBefore(day),
      removePerson: (person, rehearse) => keeping.removePerson(person, rehearse),
      size: async () => ({ ...database.size(), count: counts.total() }),
    },
    close: async () => {
      // At once: a long removal does not go on while accepted requests finish.
      void keeping.close();
      await queue.close();
      await readings.close();
      database.close();
    },
  };
}

function writerOnThisThread(database: SqliteDatabase): EventWriter & EventRemover {
  const writer = new SqliteEventWriter(database);
  return {
    write: async (batch) => writer.write(batch),
    remove: async (step) => removeEvents(database, step),
    close: async () => {},
  };
}
