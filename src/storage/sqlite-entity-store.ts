import type { EntityKind } from "../contract/entity-kind.js";
import type { CommitQueue } from "./commit-queue.js";
import { requireModest, sizeOfEntities } from "./entity-page-size.js";
import * as queries from "./entity-queries.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import type {
  EntityKey,
  EntityRecord,
  EntityStore,
  InsertOutcome,
  Page,
  ReplaceOutcome,
  Slice,
  WriteCondition,
  WriteOptions,
} from "./store.js";
import { toRecord, toReferences, toStoredEntity, toStoredKey } from "./stored-entity.js";

/** Entities in a database that has the console's schema. */
export class SqliteEntityStore implements EntityStore {
  readonly #database: SqliteDatabase;
  readonly #queue: CommitQueue;

  constructor(database: SqliteDatabase, queue: CommitQueue) {
    this.#database = database;
    this.#queue = queue;
  }

  async get(key: EntityKey): Promise<EntityRecord | undefined> {
    const stored = this.#database.first(queries.selectEntity, toStoredKey(key));
    return stored === undefined ? undefined : toRecord(stored);
  }

  async list(kind: EntityKind, slice: Slice): Promise<Page<EntityRecord>> {
    const page = { kind, ...slice };
    return this.#database.snapshot(() => {
      requireModest(this.#database, sizeOfEntities, page);
      return {
        items: this.#database.all(queries.selectEntities, page).map(toRecord),
        totalItems: this.#database.first(queries.selectEntityTotal, { kind })?.total ?? 0,
      };
    });
  }

  async insert(record: EntityRecord, options: WriteOptions = {}): Promise<InsertOutcome> {
    const entity = toStoredEntity(record);
    return this.#queue.write(() => this.#insert(entity), options);
  }

  async replace(record: EntityRecord, condition: WriteCondition): Promise<ReplaceOutcome> {
    const entity = toStoredEntity(record);
    return this.#queue.write(() => this.#replace(entity, condition), condition);
  }

  async remove(key: EntityKey, condition: WriteCondition): Promise<boolean> {
    const stored = toStoredKey(key);
    return this.#queue.write(() => this.#remove(stored, condition), condition);
  }

  #insert(entity: queries.StoredEntity): InsertOutcome {
    if (this.#database.first(queries.selectState, entity) !== undefined) return "id_taken";
    if (this.#isNameTaken(entity)) return "name_taken";
    const { lastInsertRowid } = this.#database.run(queries.insertEntity, entity);
    const row = Number(lastInsertRowid);
    this.#database.run(queries.insertVersion, { ...entity, row });
    this.#insertReferences(row, entity);
    return "inserted";
  }

  #replace(entity: queries.StoredEntity, condition: WriteCondition): ReplaceOutcome {
    const before = this.#database.first(queries.selectState, entity);
    if (before?.version !== condition.version) return "stale";
    const { row } = before;
    if (entity.name !== before.name && this.#isNameTaken(entity)) return "name_taken";
    if (condition.unreferenced === true && this.#isReferenced(entity, row)) return "referenced";

    const isMoved =
      entity.created_time !== before.created_time ||
      entity.reference_keys !== before.reference_keys;
    if (isMoved || entity.name !== before.name) {
      this.#database.run(queries.updateEntity, { ...entity, row });
    } else {
      this.#database.run(queries.updateVersion, { ...entity, row });
    }
    this.#database.run(queries.insertVersion, { ...entity, row });
    if (isMoved) {
      this.#database.run(queries.deleteReferences, { source: row });
      this.#insertReferences(row, entity);
    }
    return "replaced";
  }

  #remove(key: queries.StoredKey, condition: WriteCondition): boolean {
    const before = this.#database.first(queries.selectState, key);
    if (before?.version !== condition.version) return false;
    if (condition.unreferenced === true && this.#isReferenced(key, before.row)) return false;
    this.#database.run(queries.deleteEntity, { row: before.row });
    return true;
  }

  #isNameTaken(entity: queries.StoredEntity): boolean {
    return this.#database.first(queries.selectByName, entity) !== undefined;
  }

  /** An entity that points at itself does not count. */
  #isReferenced(key: queries.StoredKey, row: number): boolean {
    return this.#database.first(queries.selectOtherReferrer, { ...key, row }) !== undefined;
  }

  #insertReferences(row: number, entity: queries.StoredEntity): void {
    for (const key of toReferences(entity.reference_keys)) {
      const target = toStoredKey(key);
      this.#database.run(queries.insertReference, {
        target_kind: target.kind,
        target_id: target.id,
        created_time: entity.created_time,
        source_id: entity.id,
        source_kind: entity.kind,
        source: row,
      });
    }
  }
}
