import type { EntityKind } from "../contract/common.js";
import type { AnyObject } from "../contract/fields.js";
import type { ListFilter } from "../contract/list-query.js";
import { EntityChangeLog } from "./entity-change-log.js";
import { EntityPages, type StoredPage } from "./entity-pages.js";
import * as queries from "./entity-queries.js";
import { originalText, type SqliteDatabase, storedText } from "./sqlite-database.js";
import type {
  ChangeEntity,
  EntityChangeRecord,
  EntityKey,
  EntityPage,
  EntityRecord,
  EntityScan,
  EntityStore,
  LatestChange,
  ListChange,
  ListedEntity,
  Slice,
  WriteOptions,
  WriteOutcome,
} from "./store.js";
import { columnsOf, type StoredEntity, toListed, toRecord, toStored } from "./stored-entity.js";
import type { ThreadPageReader } from "./thread-page-reader.js";
import { WriteBatch } from "./write-batch.js";

interface EntityStoreOptions {
  /** Returns ms since the epoch, for the log of writes. */
  readonly now?: () => number;
  /** Reads the filtered lists that take long. Without it, other work waits for them. */
  readonly longReader?: Pick<ThreadPageReader, "filtered">;
}

/** Entities in a database with the console's schema. */
export class SqliteEntityStore implements EntityStore {
  readonly #database: SqliteDatabase;
  readonly #batch: WriteBatch;
  readonly #changes: EntityChangeLog;
  readonly #pages: EntityPages;
  readonly #longReader: EntityStoreOptions["longReader"];

  constructor(database: SqliteDatabase, { now = Date.now, longReader }: EntityStoreOptions = {}) {
    this.#database = database;
    this.#pages = new EntityPages(database);
    this.#longReader = longReader;
    this.#batch = new WriteBatch(database);
    this.#changes = new EntityChangeLog(database, now);
  }

  /** Makes the writes that wait for the end of this turn of the event loop. */
  flush(): void {
    this.#batch.flush();
  }

  async get(key: EntityKey): Promise<EntityRecord | undefined> {
    const stored = this.#read(key);
    return stored && toRecord(stored);
  }

  async list(
    kind: EntityKind,
    slice: Slice,
    filter?: ListFilter,
  ): Promise<EntityPage<ListedEntity>> {
    const { items, totalItems } = await this.#list(kind, slice, filter);
    return { items: items.map(toListed), totalItems };
  }

  async #list(kind: EntityKind, slice: Slice, filter?: ListFilter): Promise<StoredPage> {
    if (filter === undefined) return this.#pages.entities(kind, slice);
    const isLong = this.#longReader !== undefined && this.#pages.isLong(kind, slice, filter);
    return (isLong ? this.#longReader : this.#pages).filtered(kind, slice, filter);
  }

  async listedIDs(key: EntityKey, { start, count }: Slice): Promise<readonly string[]> {
    const entity = this.#read(key);
    if (entity === undefined) return [];
    const ids = this.#database.all<{ id: string }>(queries.selectListedIDs, [
      entity.row,
      count,
      start,
    ]);
    return ids.map(({ id }) => originalText(id));
  }

  async versions(key: EntityKey, slice: Slice): Promise<EntityPage<AnyObject>> {
    return this.#pages.versions(key, slice);
  }

  async referrers(key: EntityKey, slice: Slice): Promise<EntityPage<EntityRecord>> {
    const { items, totalItems } = this.#pages.referrers(key, slice);
    return { items: items.map(toRecord), totalItems };
  }

  async write(
    key: EntityKey,
    change: ChangeEntity,
    { rehearse = false, unreferenced = false, list }: WriteOptions = {},
  ): Promise<WriteOutcome> {
    return this.#batch.write(
      () => {
        const before = this.#read(key);
        const listChange =
          before === undefined || list === undefined ? 0 : this.#changeList(before.row, list);
        const next = change(before && toRecord(before), listChange);
        if (before === undefined) return next === undefined ? "written" : this.#insert(next);
        if (unreferenced && this.#isReferenced(before)) return "referenced";
        if (next !== undefined) return this.#replace(before, next);
        this.#database.run(queries.deleteEntity, [before.row]);
        this.#changes.add(key, null);
        return "written";
      },
      { rehearse },
    );
  }

  async scan(after: number, count: number): Promise<EntityScan> {
    const stored = this.#database.all<StoredEntity>(queries.scanEntities, [after, count]);
    return { records: stored.map(toRecord), next: stored.at(count - 1)?.row };
  }

  isListed({ kind, id }: EntityKey, listed: string): boolean {
    const values = [kind, storedText(id), storedText(listed)];
    return this.#database.first(queries.selectListed, values) !== undefined;
  }

  latestChange(): LatestChange {
    return this.#changes.latest();
  }

  async changesAfter(sequence: number, count: number): Promise<readonly EntityChangeRecord[]> {
    return this.#changes.after(sequence, count);
  }

  #read({ kind, id }: EntityKey): StoredEntity | undefined {
    return this.#database.first<StoredEntity>(queries.selectEntity, [kind, storedText(id)]);
  }

  #insert(record: EntityRecord): WriteOutcome {
    const next = toStored(record);
    if (this.#isNameTaken(next)) return "name_taken";
    const { kind, id, version, body } = next;
    const values = [kind, id, ...columnsOf(next)];
    const row = Number(this.#database.run(queries.insertEntity, values).lastInsertRowid);
    this.#database.run(queries.insertVersion, [row, version, body]);
    this.#insertReferences(row, record);
    this.#changes.add(record, version);
    return "written";
  }

  #replace({ row, ...before }: StoredEntity, record: EntityRecord): WriteOutcome {
    const next = toStored(record);
    const isRenamed = next.name !== before.name;
    if (isRenamed && this.#isNameTaken(next)) return "name_taken";
    const { version, created_time, reference_keys, body } = next;
    const isMoved =
      created_time !== before.created_time || reference_keys !== before.reference_keys;
    const isFoundOtherwise =
      next.archived !== before.archived ||
      next.filter_values !== before.filter_values ||
      next.search_text !== before.search_text;
    if (isMoved || isRenamed || isFoundOtherwise) {
      this.#database.run(queries.updateEntity, [...columnsOf(next), row]);
    } else {
      this.#database.run(queries.updateVersion, [version, row]);
    }
    this.#database.run(queries.insertVersion, [row, version, body]);
    if (isMoved) {
      this.#database.run(queries.deleteReferences, [row]);
      this.#insertReferences(row, record);
    }
    this.#changes.add(record, version);
    return "written";
  }

  /** Changes the list and returns the growth of its number of ids. */
  #changeList(row: number, { how, ids }: ListChange): number {
    let more = 0;
    if (how === "replace") more -= this.#database.run(queries.deleteListedIDs, [row]).changes;
    const values = [row, JSON.stringify(ids.map(storedText))];
    if (how === "remove") return -this.#database.run(queries.deleteListed, values).changes;
    return more + this.#database.run(queries.insertListed, values).changes;
  }

  #isNameTaken({ kind, name }: Pick<StoredEntity, "kind" | "name">): boolean {
    return this.#database.first(queries.selectByName, [kind, name]) !== undefined;
  }

  /** An entity that points at itself does not count. */
  #isReferenced({ kind, id, row }: StoredEntity): boolean {
    return this.#database.first(queries.selectOtherReferrer, [kind, id, row]) !== undefined;
  }

  #insertReferences(row: number, { kind, id, createdTime, references }: EntityRecord): void {
    for (const target of references) {
      const targetKey = [target.kind, storedText(target.id)];
      const source = [createdTime, storedText(id), kind, row];
      this.#database.run(queries.insertReference, [...targetKey, ...source]);
    }
  }
}
