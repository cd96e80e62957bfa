import type { JsonObject } from "../contract/fields.js";
import { requireModest, sizeOfReferrers, sizeOfVersions } from "./entity-page-size.js";
import {
  selectReferrers,
  selectReferrerTotal,
  selectVersions,
  selectVersionTotal,
} from "./entity-queries.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import type { EntityHistory, EntityKey, EntityRecord, Page, Slice } from "./store.js";
import { toBody, toRecord, toStoredKey } from "./stored-entity.js";

/** Versions and referrers in a database that has the console's schema. */
export class SqliteEntityHistory implements EntityHistory {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async versions(key: EntityKey, slice: Slice): Promise<Page<JsonObject>> {
    const stored = toStoredKey(key);
    const page = { ...stored, ...slice };
    return this.#database.snapshot(() => {
      requireModest(this.#database, sizeOfVersions, page);
      return {
        items: this.#database.all(selectVersions, page).map(({ body }) => toBody(body)),
        totalItems: this.#database.first(selectVersionTotal, stored)?.total ?? 0,
      };
    });
  }

  async referrers(key: EntityKey, slice: Slice): Promise<Page<EntityRecord>> {
    const stored = toStoredKey(key);
    const page = { ...stored, ...slice };
    return this.#database.snapshot(() => {
      requireModest(this.#database, sizeOfReferrers, page);
      return {
        items: this.#database.all(selectReferrers, page).map(toRecord),
        totalItems: this.#database.first(selectReferrerTotal, stored)?.total ?? 0,
      };
    });
  }
}
