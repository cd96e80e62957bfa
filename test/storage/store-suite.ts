import { afterEach, describe, it } from "vitest";
import type { Store } from "../../src/storage/store.js";
import { changeLogSuite } from "./change-log-suite.js";
import { entityListSuite } from "./entity-list-suite.js";
import { entityStoreSuite } from "./entity-store-suite.js";
import { historySuite } from "./history-suite.js";
import { keyStoreSuite } from "./key-store-suite.js";
import { listFileSuite } from "./list-file-suite.js";
import { sessionStoreSuite } from "./session-store-suite.js";
import { sharedStoreSuite } from "./shared-store-suite.js";
import { type VersionedStore, versioned } from "./versioned-writes.js";

/** The parts of an implementation that the suites need. */
export interface StoreKit {
  /** A place that no store has been opened at. */
  newPlace(): string;
  /** Opens the store at a place, beside those that are open there. */
  open(place: string, now?: () => number): Promise<Store>;
  /** True if data outlives its store and several stores can be open on one directory. */
  readonly isLasting: boolean;
}

/** Opens stores, and closes them after each test. */
export interface Stores {
  readonly open: (place?: string, now?: () => number) => Promise<VersionedStore>;
  readonly newPlace: () => string;
}

/** Every sentence of the interfaces, on any implementation. */
export function storeSuite(name: string, kit: StoreKit): void {
  describe(name, () => {
    const opened: Store[] = [];
    const stores: Stores = {
      newPlace: kit.newPlace,
      open: async (place = kit.newPlace(), now = Date.now) => {
        const store = await kit.open(place, now);
        opened.push(store);
        return versioned(store);
      },
    };
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });

    describe("entities", () => entityStoreSuite(stores));
    describe("lists", () => entityListSuite(stores));
    describe("history", () => historySuite(stores));
    describe("changes", () => changeLogSuite(stores));
    describe("files of lists", () => listFileSuite(stores));
    describe("keys", () => keyStoreSuite(stores));
    describe("sessions", () => sessionStoreSuite(stores));
    if (kit.isLasting) describe("places", () => sharedStoreSuite(stores));
    it("closes twice", async () => {
      const store = await stores.open();
      await store.close();
      await store.close();
    });
  });
}
