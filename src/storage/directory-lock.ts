import { join } from "node:path";
import Connection from "libsql";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { databaseError } from "./database-error.js";
import { makePrivateFile } from "./private-file.js";
import { IN_MEMORY } from "./sqlite-database.js";

/** The file that a running service keeps locked. It stays empty. */
const LOCK_FILE = "serve.lock";

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
    `another service runs on ${directory}: stop it, or pass another directory as --data`,
    { cause, exitCode: exitCodes.busy },
  );
}
