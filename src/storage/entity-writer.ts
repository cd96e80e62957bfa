import type { Author } from "./author.js";
import { EntityChangeLog } from "./entity-change-log.js";
import * as queries from "./entity-queries.js";
import { ListFiles } from "./list-files.js";
import { type SqliteDatabase, storedText } from "./sqlite-database.js";
import type { EntityKey, EntityRecord, ListChange, WriteOptions, WriteOutcome } from "./store.js";
import { columnsOf, type StoredEntity, toStored } from "./stored-entity.js";

/** The state that a write starts from, in its transaction. */
export interface WriteStart {
  /** Undefined if the entity does not exist. */
  readonly before: StoredEntity | undefined;
  /** Growth of the number of ids in its list. */
  readonly listChange: number;
}

/** Makes the writes of entities, each within a transaction of its caller: `begin`, then `finish`. */
export class EntityWriter {
  readonly #database: SqliteDatabase;
  readonly #changes: EntityChangeLog;
  readonly #files: ListFiles;
  readonly #now: () => number;

  /** `now` returns ms since the epoch. */
  constructor(database: SqliteDatabase, now: () => number) {
    this.#database = database;
    this.#changes = new EntityChangeLog(database);
    this.#files = new ListFiles(database, now);
    this.#now = now;
  }

  /** Changes the entity's list, and returns the state that the entity has so far. */
  begin({ kind, id }: EntityKey, list: ListChange | undefined): WriteStart {
    const key = [kind, storedText(id)];
    const before = this.#database.first<StoredEntity>(queries.selectEntity, key);
    const isListed = before !== undefined && list !== undefined;
    return { before, listChange: isListed ? this.#changeList(before.row, list) : 0 };
  }

  /** Stores the next state, or removes the entity. */
  finish(
    before: StoredEntity | undefined,
    next: EntityRecord | undefined,
    { unreferenced = false, author }: Pick<WriteOptions, "unreferenced" | "author">,
  ): WriteOutcome {
    if (before === undefined) return next === undefined ? "written" : this.#insert(next, author);
    if (unreferenced && this.#isReferenced(before)) return "referenced";
    if (next !== undefined) return this.#replace(before, next, author);
    this.#database.run(queries.deleteEntity, [before.row]);
    this.#changes.add({ before, next }, author, this.#now());
    return "written";
  }

  #insert(record: EntityRecord, author: Author | undefined): WriteOutcome {
    const next = toStored(record);
    if (this.#isNameTaken(next)) return "name_taken";
    const { kind, id, version, body } = next;
    const values = [kind, id, ...columnsOf(next)];
    const row = Number(this.#database.run(queries.insertEntity, values).lastInsertRowid);
    this.#database.run(queries.insertVersion, [row, version, body]);
    this.#insertReferences(row, record);
    this.#changes.add({ before: undefined, next }, author, this.#now());
    return "written";
  }

  #replace(
    { row, ...before }: StoredEntity,
    record: EntityRecord,
    author: Author | undefined,
  ): WriteOutcome {
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
    this.#changes.add({ before, next }, author, this.#now());
    return "written";
  }

  /** Changes the list and its file, and returns the growth of its number of ids. */
  #changeList(row: number, change: ListChange): number {
    const growth = this.#changeIDs(row, change);
    this.#files.append(row, change, growth);
    return growth;
  }

  #changeIDs(row: number, { how, ids }: ListChange): number {
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
