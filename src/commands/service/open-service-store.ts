import { builtFile } from "../../base/package-files.js";
import { lockDirectory, requireAllDatabases } from "../../storage/data-files.js";
import type { EventCommit } from "../../storage/event-store.js";
import type { KeyStore } from "../../storage/key-store.js";
import { JournalDirectory, type MigrationJournals } from "../../storage/migration-journals.js";
import { IN_MEMORY } from "../../storage/sqlite-database.js";
import { openEventStore, openSqliteStore } from "../../storage/sqlite-store.js";
import type { Store } from "../../storage/store.js";

const writerEntry = builtFile("event-writer-thread.js");
const readerEntry = builtFile("event-reader-thread.js");
const workerEntry = builtFile("store-worker.js");

/** Returns the journals of a data directory; undefined for data in memory. */
export function openJournals(dataDirectory: string): MigrationJournals | undefined {
  return dataDirectory === IN_MEMORY ? undefined : new JournalDirectory(dataDirectory);
}

interface StoreDependencies {
  /** Called before the store can be used. */
  prepareKeys(keys: KeyStore): Promise<void>;
  /** Called for every transaction that stored events. */
  readonly onCommit: (commit: EventCommit) => void;
}

/**
 * Locks and opens the store of a data directory. Closing it releases the directory.
 */
export async function openServiceStore(
  dataDirectory: string,
  { prepareKeys, onCommit }: StoreDependencies,
): Promise<Store> {
  const lock = await lockDirectory(dataDirectory);
  let store: Store | undefined;
  try {
    if (dataDirectory !== IN_MEMORY) await requireAllDatabases(dataDirectory);
    const openEvents = (directory: string) =>
      openEventStore(directory, { writerEntry, readerEntry, onCommit });
    store = await openSqliteStore(dataDirectory, openEvents, { workerEntry });
    await prepareKeys(store.keys);
  } catch (error) {
    await store?.close();
    lock.release();
    throw error;
  }
  const { close, ...parts } = store;
  return {
    ...parts,
    close: async () => {
      try {
        await close();
      } finally {
        lock.release();
      }
    },
  };
}
