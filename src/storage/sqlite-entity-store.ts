import type { EntityKind } from "../contract/common.js";
import type { AnyObject } from "../contract/fields.js";
import {
  filterValuesOf,
  isArchived,
  type ListFilter,
  searchTextOf,
} from "../contract/list-query.js";
import { EntityChangeLog } from "./entity-change-log.js";
import * as queries from "./entity-queries.js";
import { originalText, type SqliteDatabase, type SqlValue, storedText } from "./sqlite-database.js";
import { ENTITY_PAGE_BYTES_MAX } from "./storage-limits.js";
import {
  type ChangeEntity,
  type EntityChangeRecord,
  type EntityKey,
  type EntityPage,
  type EntityRecord,
  type EntityStore,
  type LatestChange,
  type ListChange,
  PageTooLargeError,
  type Slice,
  type WriteOptions,
  type WriteOutcome,
} from "./store.js";
import { WriteBatch } from "./write-batch.js";

/** An entity with its current body, as a row of the database. */
interface StoredEntity {
  readonly row: number;
  readonly kind: EntityKind;
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly created_time: number;
  /** JSON of the references. */
  readonly reference_keys: string;
  /** 0 or 1. */
  readonly archived: number;
  /** JSON of the values that filters compare. */
  readonly filter_values: string;
  readonly search_text: string;
  readonly body: string;
}

/** Entities in a database with the console's schema. */
export class SqliteEntityStore implements EntityStore {
  readonly #database: SqliteDatabase;
  readonly #batch: WriteBatch;
  readonly #changes: EntityChangeLog;

  /** `now` returns ms since the epoch, for the log of writes. */
  constructor(database: SqliteDatabase, now: () => number = Date.now) {
    this.#database = database;
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
  ): Promise<EntityPage<EntityRecord>> {
    if (filter === undefined) return this.#page(queries.entityList, [kind], slice, toRecord);
    const { archived, values, search } = filter;
    if (search === "" && Object.keys(values).length === 0) {
      const list = archived ? queries.entityList : queries.presentList;
      return this.#page(list, [kind], slice, toRecord);
    }
    const wanted = [Number(archived), storedText(JSON.stringify(values)), storedText(search)];
    return this.#page(queries.filteredList, [kind, ...wanted], slice, toRecord);
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

  async versions({ kind, id }: EntityKey, slice: Slice): Promise<EntityPage<AnyObject>> {
    const key = [kind, storedText(id)];
    return this.#page(queries.versionList, key, slice, ({ body }) => toBody(body));
  }

  async referrers({ kind, id }: EntityKey, slice: Slice): Promise<EntityPage<EntityRecord>> {
    return this.#page(queries.referrerList, [kind, storedText(id)], slice, toRecord);
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

  /** Throws `PageTooLargeError` before it reads any of the page. */
  #page<Item>(
    list: queries.ListQueries,
    values: readonly SqlValue[],
    { start, count }: Slice,
    toItem: (stored: StoredEntity) => Item,
  ): EntityPage<Item> {
    const slice = [...values, count, start];
    return this.#database.snapshot(() => {
      const size = this.#database.first<{ results: number; bytes: number }>(list.size, slice);
      if (size !== undefined && size.results > 1 && size.bytes > ENTITY_PAGE_BYTES_MAX) {
        throw new PageTooLargeError(size.results, size.bytes, ENTITY_PAGE_BYTES_MAX);
      }
      return {
        items: this.#database.all<StoredEntity>(list.page, slice).map(toItem),
        totalItems: this.#database.first<{ total: number }>(list.total, values)?.total ?? 0,
      };
    });
  }
}

function toStored(record: EntityRecord): Omit<StoredEntity, "row"> {
  return {
    kind: record.kind,
    id: storedText(record.id),
    name: storedText(record.name),
    version: record.version,
    created_time: record.createdTime,
    reference_keys: JSON.stringify(record.references.map(({ kind, id }) => ({ kind, id }))),
    archived: Number(isArchived(record.body)),
    filter_values: storedText(JSON.stringify(filterValuesOf(record.body))),
    search_text: storedText(searchTextOf(record.body)),
    body: JSON.stringify(record.body),
  };
}

/** The values of the columns that an update may change, in their order. */
function columnsOf(stored: Omit<StoredEntity, "row">): SqlValue[] {
  const { name, version, created_time, reference_keys } = stored;
  const { archived, filter_values, search_text } = stored;
  return [name, version, created_time, reference_keys, archived, filter_values, search_text];
}

function toRecord(stored: StoredEntity): EntityRecord {
  return {
    kind: stored.kind,
    id: originalText(stored.id),
    name: originalText(stored.name),
    version: stored.version,
    createdTime: stored.created_time,
    body: toBody(stored.body),
    // Parses what `toStored` wrote.
    references: JSON.parse(stored.reference_keys) as readonly EntityKey[],
  };
}

function toBody(json: string): AnyObject {
  return JSON.parse(json) as AnyObject;
}
