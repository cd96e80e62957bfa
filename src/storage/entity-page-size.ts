import type { EntityKind } from "../contract/entity-kind.js";
import type { StoredKey } from "./entity-queries.js";
import { ENTITY_PAGE_BYTES_MAX } from "./limits.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import type { Statement } from "./sqlite-statement.js";
import { PageTooLargeError, type Slice } from "./store.js";

interface PageSize {
  readonly results: number;
  readonly bytes: number;
}

export type PageSizeStatement<Values> = Statement<Values & Slice, PageSize>;

// The length of a text stands in front of it: none of the bodies is read.
const sizeOfPresent = `SELECT count(*) AS results, total(octet_length(body)) AS bytes
  FROM page JOIN entity ON entity.row = page.row JOIN entity_version AS present
    ON present.entity = entity.row AND present.version = entity.version`;

/** Of the page that `selectEntities` gives. */
export const sizeOfEntities: PageSizeStatement<{ readonly kind: EntityKind }> = {
  sql: `WITH page AS (SELECT row FROM entity WHERE kind = ?
      ORDER BY created_time DESC, id LIMIT ? OFFSET ?) ${sizeOfPresent}`,
  bind: ({ kind, start, count }) => [kind, count, start],
};

/** Of the page that `selectReferrers` gives. */
export const sizeOfReferrers: PageSizeStatement<StoredKey> = {
  sql: `WITH page AS (SELECT source AS row FROM reference WHERE target_kind = ? AND target_id = ?
      ORDER BY created_time DESC, source_id, source_kind LIMIT ? OFFSET ?) ${sizeOfPresent}`,
  bind: ({ kind, id, start, count }) => [kind, id, count, start],
};

/** Of the page that `selectVersions` gives. */
export const sizeOfVersions: PageSizeStatement<StoredKey> = {
  sql: `SELECT count(*) AS results, total(bytes) AS bytes
    FROM (SELECT octet_length(body) AS bytes FROM entity
      JOIN entity_version ON entity_version.entity = entity.row WHERE kind = ? AND id = ?
      ORDER BY entity_version.version DESC LIMIT ? OFFSET ?)`,
  bind: ({ kind, id, start, count }) => [kind, id, count, start],
};

/** Throws `PageTooLargeError` before anything of a page is read that has too many bytes. */
export function requireModest<Values>(
  database: SqliteDatabase,
  sizeOf: PageSizeStatement<Values>,
  page: Values & Slice,
): void {
  const size = database.first(sizeOf, page);
  if (size === undefined) throw new Error("a page was counted and has no size");
  if (size.results > 1 && size.bytes > ENTITY_PAGE_BYTES_MAX) {
    throw new PageTooLargeError(size.results, size.bytes, ENTITY_PAGE_BYTES_MAX);
  }
}
