import type { EntityKind } from "../contract/common.js";
import type { AnyObject } from "../contract/fields.js";
import type { ListFilter } from "../contract/list-query.js";
import { isLong, planFilter } from "./entity-filter.js";
import * as queries from "./entity-queries.js";
import { originalText, type SqliteDatabase, type SqlValue, storedText } from "./sqlite-database.js";
import { ENTITY_PAGE_BYTES_MAX } from "./storage-limits.js";
import type { EntityKey, EntityPage, Slice } from "./store.js";
import { type StoredEntity, toBody } from "./stored-entity.js";

/** A page of entities as rows of the database. */
export type StoredPage = EntityPage<StoredEntity>;

/** Reads pages of lists from a database with the console's schema. Each page ends by its bytes. */
export class EntityPages {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Returns true if other work should not wait for the page of a filtered list. */
  isLong(kind: EntityKind, slice: Slice, filter: ListFilter): boolean {
    return isLong(this.#database, kind, slice, filter);
  }

  entities(kind: EntityKind, slice: Slice): StoredPage {
    return this.#page(queries.entityRows, queries.entityTotal, [kind], slice);
  }

  filtered(kind: EntityKind, slice: Slice, filter: ListFilter): StoredPage {
    return this.#database.snapshot(() => {
      const { rows, total } = planFilter(this.#database, kind, filter);
      const found = this.#database.all<{ row: number }>(`${rows.sql} LIMIT ? OFFSET ?`, [
        ...rows.values,
        slice.count,
        slice.start,
      ]);
      return { items: this.#read(found), totalItems: this.#total(total.sql, total.values) };
    });
  }

  referrers({ kind, id }: EntityKey, slice: Slice, sourceKind?: EntityKind): StoredPage {
    const key = [kind, storedText(id)];
    if (sourceKind !== undefined) {
      const values = [...key, sourceKind];
      return this.#page(queries.kindReferrerRows, queries.kindReferrerTotal, values, slice);
    }
    return this.#page(queries.referrerRows, queries.referrerTotal, key, slice);
  }

  /** Returns ids of an entity's list, in the order of their bytes. */
  listedIDs({ kind, id }: EntityKey, { start, count }: Slice): readonly string[] {
    const values = [kind, storedText(id), count, start];
    const found = this.#database.all<{ id: string }>(queries.selectListedIDs, values);
    return found.map((listed) => originalText(listed.id));
  }

  versions({ kind, id }: EntityKey, { start, count }: Slice): EntityPage<AnyObject> {
    const key = [kind, storedText(id)];
    return this.#database.snapshot(() => {
      const sizes = this.#database.all<{ bytes: number }>(queries.versionSizes, [
        ...key,
        count,
        start,
      ]);
      const fitting = [...key, fittingCount(sizes.map(({ bytes }) => bytes)), start];
      const bodies = this.#database.all<{ body: string }>(queries.selectVersions, fitting);
      return {
        items: bodies.map(({ body }) => toBody(body)),
        totalItems: this.#total(queries.versionTotal, key),
      };
    });
  }

  #page(
    rows: string,
    total: string,
    values: readonly SqlValue[],
    { start, count }: Slice,
  ): StoredPage {
    return this.#database.snapshot(() => ({
      items: this.#read(this.#database.all<{ row: number }>(rows, [...values, count, start])),
      totalItems: this.#total(total, values),
    }));
  }

  /** Returns the first entities of those rows, in their order, whose bytes fit into a page. */
  #read(found: readonly { readonly row: number }[]): readonly StoredEntity[] {
    const rows = found.map(({ row }) => row);
    const sizes = this.#byRow<{ row: number; bytes: number }>(queries.selectSizes, rows);
    const fitting = rows.slice(0, fittingCount(sizes.map(({ bytes }) => bytes)));
    return this.#byRow<StoredEntity>(queries.selectRows, fitting);
  }

  #byRow<Row extends { readonly row: number }>(sql: string, rows: readonly number[]): Row[] {
    const found = this.#database.all<Row>(sql, [JSON.stringify(rows)]);
    const byRow = new Map(found.map((entity) => [entity.row, entity]));
    return rows.map((row) => byRow.get(row) as Row);
  }

  #total(sql: string, values: readonly SqlValue[]): number {
    return this.#database.first<{ total: number }>(sql, values)?.total ?? 0;
  }
}

/** Returns the number of results that fit into a page: at least one. */
function fittingCount(sizes: readonly number[]): number {
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    bytes += size;
    if (bytes > ENTITY_PAGE_BYTES_MAX && index > 0) return index;
  }
  return sizes.length;
}
