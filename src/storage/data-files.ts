import { existsSync, statSync } from "node:fs";
import { type FileHandle, open, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import Connection from "libsql";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { databaseError } from "./database-error.js";
import { consoleSchema, eventSchema, type Schema } from "./database-schemas.js";
import { makePrivateFile, openDatabase } from "./open-database.js";
import { IN_MEMORY } from "./sqlite-database.js";
import { DISK_FREE_BYTES_MIN } from "./storage-limits.js";

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
export const LOCK_FILE = "serve.lock";

/** A directory that is in the data directory until a restore into it has ended. */
export const RESTORING = ".restoring";

/** The first bytes of an SQLite file (https://www.sqlite.org/fileformat.html). */
const MAGIC = "SQLite format 3\0";

/**
 * Throws `database_missing` if one of the two databases is lost, or a file of 0 bytes, while the other
 * holds data: the service would replace it with an empty one. After an interrupted first start, neither
 * holds data. Throws `restore_unfinished` if a restore into the directory was interrupted.
 */
export async function requireAllDatabases(directory: string): Promise<void> {
  if (existsSync(join(directory, RESTORING))) throw unfinished(directory);
  const path = ({ name }: DataFile) => join(directory, name);
  const missing = dataFiles.find((file) => bytesOf(path(file)) === 0);
  const present = dataFiles.find((file) => bytesOf(path(file)) > 0);
  if (missing === undefined || present === undefined) return;
  const database = await openDatabase(path(present), present.schema);
  try {
    if (database.first(present.content) === undefined) return;
  } finally {
    database.close();
  }
  const isEmpty = statSync(path(missing), { throwIfNoEntry: false }) !== undefined;
  throw new SwitchyardError(
    "database_missing",
    `${path(missing)} is ${isEmpty ? "empty (0 bytes)" : "missing"} beside ${present.name}; restore it ` +
      `from the same backup, or move ${present.name} away to start empty`,
  );
}

function unfinished(directory: string): SwitchyardError {
  return new SwitchyardError(
    "restore_unfinished",
    `${directory} has a part of a backup: restore the backup again`,
  );
}

/** Returns the size of a file; 0 if there is none. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

interface DataFilesWatch {
  /**
   * Throws `database_damaged` if an open database of the directory has been removed, replaced, emptied or
   * overwritten at its start. SQLite does not notice that: it goes on with the removed file and with pages
   * in memory.
   */
  requireSame(): Promise<void>;
  /** Call it after the databases are closed. */
  close(): Promise<void>;
}

/**
 * Watches the open databases of a directory. Keeps their files open: the system drops all locks that a
 * process has on a file when the process closes any descriptor of it. Another process would then believe
 * that it is alone, and remove the log that the service writes to.
 */
export async function watchDataFiles(directory: string): Promise<DataFilesWatch> {
  const known = new Map<string, FileHandle>();
  for (const { name } of dataFiles) {
    const path = join(directory, name);
    const file = await open(path).catch(() => undefined);
    if (file !== undefined) known.set(path, file);
  }
  return {
    requireSame: async () => {
      for (const [path, file] of known) {
        if (await isSameDatabase(path, file)) continue;
        throw new SwitchyardError(
          "database_damaged",
          `${path} was removed, replaced or overwritten while the service ran; stop it and restore a backup`,
        );
      }
    },
    close: async () => {
      for (const file of known.values()) await file.close();
    },
  };
}

/** Throws `disk_full` if a small write may fit, but not the next large ones. */
export async function requireSpace(directory: string): Promise<void> {
  if (directory === IN_MEMORY) return;
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= DISK_FREE_BYTES_MIN) return;
  throw new SwitchyardError(
    "disk_full",
    `${directory}: the disk has ${bavail * bsize} free bytes; free at least ${DISK_FREE_BYTES_MIN}`,
  );
}

async function isSameDatabase(path: string, file: FileHandle): Promise<boolean> {
  const named = await stat(path).catch(() => undefined);
  if (named === undefined || named.ino !== (await file.stat()).ino) return false;
  const { buffer } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
  return buffer.toString("latin1") === MAGIC;
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
