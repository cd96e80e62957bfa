import { openEventStore, openSqliteStore } from "../../src/storage/sqlite-store.js";
import type { Store } from "../../src/storage/store.js";

/** A store of the kind that the service runs on, kept in memory. */
export function openTestStore(): Promise<Store> {
  return openSqliteStore(":memory:", openEventStore);
}
