import { join } from "node:path";
import { eventFile } from "./data-files.js";
import { eventSchema } from "./database-schemas.js";
import { EventQueue, type EventQueueOptions, type EventWriter } from "./event-queue.js";
import { openDatabase } from "./open-database.js";
import { packIntake } from "./packed-events.js";
import { IN_MEMORY, SqliteDatabase } from "./sqlite-database.js";
import { SqliteEventReader } from "./sqlite-event-reader.js";
import { SqliteEventWriter } from "./sqlite-event-writer.js";
import type { OpenEventStore } from "./sqlite-store.js";
import { ThreadEventWriter } from "./thread-event-writer.js";

interface EventStoreOptions extends EventQueueOptions {
  /**
   * The compiled `event-writer-thread`. Events are then written in a separate thread, so that syncs of
   * the disk do not block other work. Without it, and for `:memory:`, the caller's thread writes.
   */
  readonly writerEntry?: URL;
}

/**
 * Opens the events of a data directory, which is created if it is missing; `:memory:` keeps them in
 * memory. Throws what `openDatabase` throws.
 */
export async function openEventStore(
  directory: string,
  { writerEntry, ...options }: EventStoreOptions = {},
): Promise<OpenEventStore> {
  const path = directory === IN_MEMORY ? IN_MEMORY : join(directory, eventFile.name);
  if (writerEntry === undefined || path === IN_MEMORY) {
    const database = await openDatabase(path, eventSchema);
    return eventStoreOver(database, writerOnThisThread(database), options);
  }
  const writer = new ThreadEventWriter(writerEntry, path);
  // The thread creates or updates the database.
  await writer.start();
  return eventStoreOver(new SqliteDatabase(path), writer, options);
}

/** Reads from `database`, and closes it in the end. */
function eventStoreOver(
  database: SqliteDatabase,
  writer: EventWriter,
  options: EventQueueOptions,
): OpenEventStore {
  const queue = new EventQueue(writer, options);
  const reader = new SqliteEventReader(database);
  return {
    events: {
      append: async (intake) => queue.append(packIntake(intake)),
      counts: (range, limit) => reader.counts(range, limit),
      list: (query) => reader.list(query),
    },
    close: async () => {
      await queue.close();
      database.close();
    },
  };
}

function writerOnThisThread(database: SqliteDatabase): EventWriter {
  const writer = new SqliteEventWriter(database);
  return {
    write: async (batch) => writer.write(batch),
    close: async () => {},
  };
}
