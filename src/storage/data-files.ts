import { existsSync } from "node:fs";
import { join } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { consoleSchema, eventSchema, type Schema } from "./database-schemas.js";
import { openDatabase } from "./open-database.js";

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

/**
 * Throws `database_missing` if one of the two databases is lost while the other holds data: a service
 * would start empty in its place. A directory whose first start was interrupted holds nothing.
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
