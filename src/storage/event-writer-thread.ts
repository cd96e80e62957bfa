import { serveCalls } from "../base/thread-call.js";
import { eventSchema } from "./database-schemas.js";
import { removeEvents } from "./event-removal.js";
import { openDatabase } from "./open-database.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { SqliteEventWriter } from "./sqlite-event-writer.js";
import type { EventWriterThread } from "./thread-event-writer.js";

let database: SqliteDatabase | undefined;
let writer: SqliteEventWriter | undefined;

// Entry file of the thread that writes events: a disk sync blocks only this thread.
serveCalls<EventWriterThread>({
  async open(path) {
    database = await openDatabase(path, eventSchema);
    writer = new SqliteEventWriter(database);
  },
  write: (batch) => (writer as SqliteEventWriter).write(batch),
  remove: (step) => removeEvents(database as SqliteDatabase, step),
  close: () => database?.close(),
});
