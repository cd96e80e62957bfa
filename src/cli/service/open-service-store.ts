import { builtFile } from "../../base/package-files.js";
import { lockDirectory } from "../../storage/directory-lock.js";
import type { EventCommit } from "../../storage/event-store.js";
import type { KeyStore } from "../../storage/key-store.js";
import { openEventStore } from "../../storage/sqlite-event-store.js";
import { openSqliteStore } from "../../storage/sqlite-store.js";
import type { Store } from "../../storage/store.js";

const writerEntry = builtFile("event-writer-thread.js");

export interface StoreDependencies {
  /** Done before anybody can use the store. */
  prepareKeys(keys: KeyStore): Promise<void>;
  /** Told of every transaction that stored events. */
  readonly onCommit: (commit: EventCommit) => void;
}

/**
 * The store of a data directory that no other service has. Closing it lets go of the directory.
 */
export async function openServiceStore(
  dataDirectory: string,
  { prepareKeys, onCommit }: StoreDependencies,
): Promise<Store> {
  const lock = await lockDirectory(dataDirectory);
  let store: Store | undefined;
  try {
    store = await openSqliteStore(dataDirectory, (directory) =>
      openEventStore(directory, { writerEntry, onCommit }),
    );
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
