import { join } from "node:path";
import Connection from "libsql";
import { SwitchyardError } from "../base/errors.js";
import { makeDirectory } from "../base/make-directory.js";
import { databaseError } from "./database-error.js";
import { IN_MEMORY } from "./sqlite-database.js";

/** File in the data directory that the service which runs on it holds locked; it stays empty. */
const LOCK_FILE = "serve.lock";

export interface DirectoryLock {
  release(): void;
}

/**
 * Takes the data directory for one service, made where it is missing. The lock is one of the operating
 * system's, by way of SQLite: it ends with the process, however that ends, so none is ever left behind.
 * Throws `data_in_use` while another service has it, and what `databaseError` makes of other failures.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  if (directory === IN_MEMORY) return { release: () => undefined };
  const path = join(directory, LOCK_FILE);
  let connection: Connection.Database | undefined;
  try {
    await makeDirectory(directory);
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
    `another service runs on ${directory}: stop it, or give this one another directory with --data`,
    { cause },
  );
}
