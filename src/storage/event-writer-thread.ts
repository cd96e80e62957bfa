import { parentPort, workerData } from "node:worker_threads";
import { SwitchyardError } from "../base/errors.js";
import { eventSchema } from "./database-schemas.js";
import type {
  EventWriterFailure,
  EventWriterSetup,
  FromEventWriter,
  ToEventWriter,
} from "./event-writer-messages.js";
import { openDatabase } from "./open-database.js";
import { SqliteEventWriter } from "./sqlite-event-writer.js";

// Entry file of the thread that writes events: a sync of the disk holds up nothing but itself.
const port = parentPort;
if (port === null) throw new Error("event-writer-thread runs in a worker thread only");
const answer = (message: FromEventWriter) => port.postMessage(message);

try {
  const { path } = workerData as EventWriterSetup;
  const database = await openDatabase(path, eventSchema);
  const writer = new SqliteEventWriter(database);
  port.on("message", (message: ToEventWriter) => {
    if (message.kind === "close") {
      database.close();
      port.close();
      return;
    }
    try {
      const commit = writer.write(message.batch);
      answer({ kind: "stored", commit });
    } catch (error) {
      answer({ kind: "failed", failure: failureOf(error) });
    }
  });
  answer({ kind: "ready" });
} catch (error) {
  answer({ kind: "failed", failure: failureOf(error) });
}

function failureOf(error: unknown): EventWriterFailure {
  if (error instanceof SwitchyardError) return { code: error.code, message: error.message };
  // A defect: the thread is replaced, as nobody knows what state it is in.
  throw error;
}
