import { expect } from "vitest";
import type {
  EntityKey,
  EntityRecord,
  EntityStore,
  Store,
  WriteOptions,
} from "../../src/storage/store.js";

interface VersionedOptions extends WriteOptions {
  /** The version that must be stored. */
  readonly version: number;
}

class Refusal extends Error {}

/** Writes as the tests state them: of a whole record, under a condition on the stored version. */
export class VersionedEntities implements Omit<EntityStore, "list"> {
  constructor(private readonly entities: EntityStore) {}

  /** Checks that both ways to read an entity agree. */
  readonly get: EntityStore["get"] = async (key) => {
    const record = await this.entities.get(key);
    expect(this.entities.find(key)).toEqual(record);
    return record;
  };
  readonly find: EntityStore["find"] = (key) => this.entities.find(key);
  readonly findAll: EntityStore["findAll"] = (kind) => this.entities.findAll(kind);
  /** Checks the text of each body, and returns the records without it. */
  readonly list = async (...query: Parameters<EntityStore["list"]>) => {
    const { items, totalItems } = await this.entities.list(...query);
    const records = items.map(({ bodyText, ...record }): EntityRecord => {
      expect(record.body).toEqual(JSON.parse(bodyText));
      return record;
    });
    return { items: records, totalItems };
  };
  readonly versions: EntityStore["versions"] = (key, slice) => this.entities.versions(key, slice);
  readonly referrers: EntityStore["referrers"] = (key, slice, kind) =>
    this.entities.referrers(key, slice, kind);
  readonly listedIDs: EntityStore["listedIDs"] = (key, slice) =>
    this.entities.listedIDs(key, slice);
  readonly write: EntityStore["write"] = (key, change, options) =>
    this.entities.write(key, change, options);
  readonly latestChange: EntityStore["latestChange"] = () => this.entities.latestChange();
  readonly scan: EntityStore["scan"] = (after, count) => this.entities.scan(after, count);
  readonly listFile: EntityStore["listFile"] = (key) => this.entities.listFile(key);
  readonly readListFile: EntityStore["readListFile"] = (id, start) =>
    this.entities.readListFile(id, start);
  readonly isListed: EntityStore["isListed"] = (key, id) => this.entities.isListed(key, id);
  readonly changesAfter: EntityStore["changesAfter"] = (sequence, count) =>
    this.entities.changesAfter(sequence, count);
  readonly followerPosition: EntityStore["followerPosition"] = (name) =>
    this.entities.followerPosition(name);
  readonly moveFollower: EntityStore["moveFollower"] = (name, sequence) =>
    this.entities.moveFollower(name, sequence);
  readonly auditLog: EntityStore["auditLog"] = (filter, slice) =>
    this.entities.auditLog(filter, slice);
  readonly auditRecord: EntityStore["auditRecord"] = (sequence) =>
    this.entities.auditRecord(sequence);

  async insert(record: EntityRecord, options?: WriteOptions) {
    return this.#conditional(record, options, (stored) => {
      if (stored !== undefined) throw new Refusal("id_taken");
      return record;
    }).then((outcome) => (outcome === "written" ? "inserted" : outcome));
  }

  async replace(record: EntityRecord, { version, ...options }: VersionedOptions) {
    return this.#conditional(record, options, (stored) => {
      if (stored?.version !== version) throw new Refusal("stale");
      return record;
    }).then((outcome) => (outcome === "written" ? "replaced" : outcome));
  }

  async remove(key: EntityKey, { version, ...options }: VersionedOptions): Promise<boolean> {
    const outcome = await this.#conditional(key, options, (stored) => {
      if (stored?.version !== version) throw new Refusal("stale");
      return undefined;
    });
    return outcome === "written";
  }

  #conditional(
    key: EntityKey,
    options: WriteOptions | undefined,
    change: Parameters<EntityStore["write"]>[1],
  ): Promise<string> {
    return this.entities.write(key, change, options).catch((error: unknown) => {
      if (error instanceof Refusal) return error.message;
      throw error;
    });
  }
}

export type VersionedStore = Omit<Store, "entities"> & { readonly entities: VersionedEntities };

export function versioned(store: Store): VersionedStore {
  return { ...store, entities: new VersionedEntities(store.entities) };
}
