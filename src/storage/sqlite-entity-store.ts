import { setImmediate as nextTurn } from "node:timers/promises";
import type { EntityKind } from "../contract/common.js";
import type { AnyObject } from "../contract/fields.js";
import type { ListFilter } from "../contract/list-query.js";
import { AuditLog } from "./audit-log.js";
import { EntityChangeLog } from "./entity-change-log.js";
import { EntityPages, type StoredPage } from "./entity-pages.js";
import * as queries from "./entity-queries.js";
import { EntityWriter } from "./entity-writer.js";
import { ListFiles } from "./list-files.js";
import { type SqliteDatabase, storedText } from "./sqlite-database.js";
import { LIST_ROWS_SKIPPED_MAX, LISTED_IDS_PER_TURN_MAX } from "./storage-limits.js";
import type {
  AuditFilter,
  AuditRecord,
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
  ListFile,
  Slice,
  WriteOptions,
  WriteOutcome,
} from "./store.js";
import type { StoreThread } from "./store-thread.js";
import { type StoredEntity, toListed, toRecord } from "./stored-entity.js";
import { WriteBatch } from "./write-batch.js";

/** Readings of a list in slices, for a new file, that changes of the list may spoil. */
const READ_IN_SLICES_MAX = 3;

/** A thread that reads long pages, and one that makes long writes. */
interface StoreThreads {
  readonly reader: StoreThread;
  readonly writer: StoreThread;
}

interface EntityStoreOptions {
  /** Returns ms since the epoch, for the log of writes. */
  readonly now?: () => number;
  /** Does what takes long. Without it, other work waits for that. */
  readonly threads?: StoreThreads;
  readonly batch?: WriteBatch;
}

/** Entities in a database with the console's schema. */
export class SqliteEntityStore implements EntityStore {
  readonly #database: SqliteDatabase;
  readonly #batch: WriteBatch;
  readonly #changes: EntityChangeLog;
  readonly #audit: AuditLog;
  readonly #pages: EntityPages;
  readonly #files: ListFiles;
  readonly #writer: EntityWriter;
  readonly #threads: StoreThreads | undefined;

  constructor(
    database: SqliteDatabase,
    { now = Date.now, threads, batch = new WriteBatch(database) }: EntityStoreOptions = {},
  ) {
    this.#database = database;
    this.#pages = new EntityPages(database);
    this.#threads = threads;
    this.#files = new ListFiles(database, now);
    this.#writer = new EntityWriter(database, now);
    this.#batch = batch;
    this.#changes = new EntityChangeLog(database);
    this.#audit = new AuditLog(database);
  }

  /** Makes a durable write that changes nothing. */
  writeNothing(): Promise<void> {
    return this.#batch.write(() => {
      const version = this.#database.pragma("user_version");
      this.#database.execute(`PRAGMA user_version = ${version}`);
    });
  }

  /** Makes the writes that wait. */
  finish(): Promise<void> {
    return this.#batch.finish();
  }

  async get(key: EntityKey): Promise<EntityRecord | undefined> {
    return this.find(key);
  }

  find(key: EntityKey): EntityRecord | undefined {
    const values = [key.kind, storedText(key.id)];
    const stored = this.#database.first<StoredEntity>(queries.selectEntity, values);
    return stored && toRecord(stored);
  }

  findAll(kind: EntityKind): readonly EntityRecord[] {
    return this.#database.all<StoredEntity>(queries.selectOfKind, [kind]).map(toRecord);
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
    const thread = this.#threads?.reader;
    const isLong = thread !== undefined && this.#pages.isLong(kind, slice, filter);
    return (isLong ? thread : this.#pages).filtered(kind, slice, filter);
  }

  async listedIDs(key: EntityKey, slice: Slice): Promise<readonly string[]> {
    const isLong = slice.start > LIST_ROWS_SKIPPED_MAX;
    const reader = (isLong ? this.#threads?.reader : undefined) ?? this.#pages;
    return reader.listedIDs(key, slice);
  }

  async versions(key: EntityKey, slice: Slice): Promise<EntityPage<AnyObject>> {
    return this.#pages.versions(key, slice);
  }

  async referrers(
    key: EntityKey,
    slice: Slice,
    kind?: EntityKind,
  ): Promise<EntityPage<EntityRecord>> {
    const { items, totalItems } = this.#pages.referrers(key, slice, kind);
    return { items: items.map(toRecord), totalItems };
  }

  async write(
    key: EntityKey,
    change: ChangeEntity,
    options: WriteOptions = {},
  ): Promise<WriteOutcome> {
    const { rehearse = false, list } = options;
    const thread = this.#threads?.writer;
    if (thread !== undefined && this.#isLong(key, list)) {
      return this.#batch.alone(() => thread.write(key, change, options));
    }
    return this.#batch.write(
      () => {
        const { before, listChange } = this.#writer.begin(key, list);
        const next = change(before && toRecord(before), listChange);
        return this.#writer.finish(before, next, options);
      },
      { rehearse },
    );
  }

  /** Returns true if a write may change many ids: it may also remove the entity with its whole list. */
  #isLong({ kind, id }: EntityKey, list: ListChange | undefined): boolean {
    if (list !== undefined && list.ids.length > LISTED_IDS_PER_TURN_MAX) return true;
    // Only segments have lists, and the query costs other writes 20 µs.
    if (kind !== "segment") return false;
    const values = [kind, storedText(id), LISTED_IDS_PER_TURN_MAX];
    return this.#database.first(queries.selectOneListed, values) !== undefined;
  }

  async scan(after: number, count: number): Promise<EntityScan> {
    const stored = this.#database.all<StoredEntity>(queries.scanEntities, [after, count]);
    return { records: stored.map(toRecord), next: stored.at(count - 1)?.row };
  }

  isListed({ kind, id }: EntityKey, listed: string): boolean {
    const values = [kind, storedText(id), storedText(listed)];
    return this.#database.first(queries.selectListed, values) !== undefined;
  }

  async listFile(key: EntityKey): Promise<ListFile | undefined> {
    for (let attempt = 1; this.#files.find(key) === undefined; attempt += 1) {
      const before = this.#versionOf(key);
      if (before === undefined) return undefined;
      const parts: string[] = [];
      for (const part of this.#files.partsOf(key)) {
        parts.push(part);
        await nextTurn();
      }
      await this.#batch.write(() => {
        if (this.#files.find(key) !== undefined) return;
        if (this.#versionOf(key) === before) this.#files.create(key, parts);
        // A list that keeps changing is read at once: others wait.
        else if (attempt === READ_IN_SLICES_MAX) this.#files.create(key, this.#files.partsOf(key));
      });
    }
    return this.#files.find(key);
  }

  #versionOf({ kind, id }: EntityKey): number | undefined {
    const key = [kind, storedText(id)];
    return this.#database.first<StoredEntity>(queries.selectEntity, key)?.version;
  }

  async readListFile(id: string, start: number): Promise<string | undefined> {
    return this.#files.read(id, start);
  }

  latestChange(): LatestChange {
    return this.#changes.latest();
  }

  async changesAfter(sequence: number, count: number): Promise<readonly EntityChangeRecord[]> {
    return this.#changes.after(sequence, count);
  }

  followerPosition(name: string): number | undefined {
    const found = this.#database.first<{ sequence: number }>(queries.selectFollower, [name]);
    return found?.sequence;
  }

  async moveFollower(name: string, sequence: number): Promise<void> {
    await this.#batch.write(() => this.#database.run(queries.moveFollower, [name, sequence]));
  }

  async auditLog(filter: AuditFilter, slice: Slice): Promise<EntityPage<AuditRecord>> {
    return (this.#threads?.reader ?? this.#audit).page(filter, slice);
  }

  async auditRecord(sequence: number): Promise<AuditRecord | undefined> {
    return this.#audit.find(sequence);
  }
}
