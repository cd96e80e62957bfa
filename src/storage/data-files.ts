import { existsSync } from "node:fs";
import { join } from "node:path";
import Connection from "libsql";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { databaseError } from "./database-error.js";
import { consoleSchema, eventSchema, type Schema } from "./database-schemas.js";
import { makePrivateFile, openDatabase } from "./open-database.js";
import { IN_MEMORY } from "./sqlite-database.js";

/** A database file of the data directory. */
interface DataFile {
  readonly name: string;
  readonly schema: Schema;
  /** Selects a row if the database holds anything. */
  readonly content: string;
}

/** The database of entities and keys. */
export const consoleFile: DataFile = {
  name: "console.db",
  schema: consoleSchema,
  content: "SELECT 1 FROM key UNION ALL SELECT 1 FROM entity LIMIT 1",
};

/** The database of events. */
export const eventFile: DataFile = {
  name: "events.db",
  schema: eventSchema,
  content: "SELECT 1 FROM event_series LIMIT 1",
};

export const dataFiles = [consoleFile, eventFile] as const;

/** The file that a running service keeps locked. It stays empty. */
const LOCK_FILE = "serve.lock";

/**
 * Throws `database_missing` if one of the two databases is lost while the other holds data: the service
 * would replace it with an empty one. After an interrupted first start, neither holds data.
 */
export async function requireAllDatabases(directory: string): Promise<void> {
  const path = ({ name }: DataFile) => join(directory, name);
  const missing = dataFiles.find((file) => !existsSync(path(file)));
  const present = dataFiles.find((file) => existsSync(path(file)));
  if (missing === undefined || present === undefined) return;
  const database = await openDatabase(path(present), present.schema);
  try {
    if (database.first(present.content) === undefined) return;
  } finally {
    database.close();
  }
  throw new SwitchyardError(
    "database_missing",
    `${path(missing)} is missing beside ${present.name}; restore it from the same backup, or move ` +
      `${present.name} away to start empty`,
  );
}

interface DirectoryLock {
  release(): void;
}

/**
 * Locks the data directory for one service and creates it if it is missing. SQLite takes a lock of the
 * operating system, which ends with the process, also after a crash. Throws `data_in_use` (exit code 4)
 * if another service has the lock, and the result of `databaseError` for other failures.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  if (directory === IN_MEMORY) return { release: () => undefined };
  const path = join(directory, LOCK_FILE);
  let connection: Connection.Database | undefined;
  try {
    await makePrivateFile(path);
    connection = new Connection(path);
    connection.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    connection?.close();
    const failure = databaseError(path, error);
    throw failure.code === "database_busy" ? inUse(directory, failure) : failure;
  }
  return {
    release: () => {
      connection.exec("ROLLBACK");
      connection.close();
    },
  };
}

function inUse(directory: string, cause: SwitchyardError): SwitchyardError {
  return new SwitchyardError(
    "data_in_use",
    `another service runs on ${directory}: stop it, or pass another directory as ${option("data")}`,
    { cause, exitCode: exitCodes.busy },
  );
}
