import { existsSync, statSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory, syncFile } from "../base/durable-file.js";
import { consoleFile, dataFiles, eventFile } from "./data-files.js";
import { openDatabase } from "./open-database.js";

/** A directory inside the data directory, where the first data is made. */
const STAGING = ".first-start";

/**
 * Has `make` fill a directory with the first data of an empty data directory, and gives the databases their
 * names afterwards: a start that fails or is killed leaves the data directory empty. Returns false, and makes
 * nothing, if the data directory has data. Its caller holds the lock.
 */
export async function makeFirstData(
  directory: string,
  make: (staging: string) => Promise<void>,
): Promise<boolean> {
  const staging = join(directory, STAGING);
  await rm(staging, { recursive: true, force: true });
  if (await hasData(directory)) return false;
  try {
    await make(staging);
    for (const { name } of dataFiles) {
      // Its content would be missing in the database.
      const log = statSync(join(staging, `${name}-wal`), { throwIfNoEntry: false });
      if (log !== undefined && log.size > 0) throw new Error(`${name} has a log after its close`);
      for (const end of ["", "-wal", "-shm"]) {
        await rm(join(directory, `${name}${end}`), { force: true });
      }
    }
    // The events are empty. Alone, they count as an empty directory.
    // Copies, because the connections that made the files stay open until garbage collection: SQLite would
    // share their locks and their removed `-shm` with the next ones, and other processes would not see them.
    for (const { name } of dataFiles) {
      const copy = join(staging, `${name}.copy`);
      await copyFile(join(staging, name), copy);
      await syncFile(copy);
    }
    for (const { name } of [eventFile, consoleFile]) {
      await rename(join(staging, `${name}.copy`), join(directory, name));
    }
    await syncDirectory(directory);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return true;
}

async function hasData(directory: string): Promise<boolean> {
  for (const { name, schema, content } of dataFiles) {
    const path = join(directory, name);
    if (!existsSync(path) || statSync(path).size === 0) continue;
    const database = await openDatabase(path, schema);
    try {
      if (database.first(content) !== undefined) return true;
    } finally {
      database.close();
    }
  }
  return false;
}
