import type { AuditedKind } from "../contract/common.js";
import type { Author } from "./author.js";
import { originalText, type SqliteDatabase, type SqlValue, storedText } from "./sqlite-database.js";
import type { AuditFilter, AuditRecord, EntityPage, Slice } from "./store.js";
import { toBody } from "./stored-entity.js";

interface StoredAudit {
  readonly sequence: number;
  readonly time: number;
  readonly kind: AuditedKind;
  readonly id: string;
  readonly version: number | null;
  readonly from_version: number | null;
  readonly key_id: string | null;
  readonly key_name: string | null;
  readonly request_id: string | null;
  readonly removed_body: string | null;
}

const columns = "sequence, time, kind, id, version, from_version, key_id, key_name, request_id";

const actionSql = {
  create: "(version IS NOT NULL AND from_version IS NULL)",
  update: "(version IS NOT NULL AND from_version IS NOT NULL)",
  delete: "version IS NULL",
} as const;

/** Reads who wrote which entities and keys, from a database with the console's schema. */
export class AuditLog {
  constructor(private readonly database: SqliteDatabase) {}

  /** Returns writes, newest first. Looks at all rows: a million take about 0.2 s. */
  page(filter: AuditFilter, { start, count }: Slice): EntityPage<AuditRecord> {
    const { sql, values } = conditionOf(filter);
    return this.database.snapshot(() => {
      const rows = this.database.all<StoredAudit>(
        `SELECT ${columns}, NULL AS removed_body FROM entity_change WHERE ${sql}
          ORDER BY sequence DESC LIMIT ? OFFSET ?`,
        [...values, count, start],
      );
      const counting = `SELECT count(*) AS total FROM entity_change WHERE ${sql}`;
      const totalItems = this.database.first<{ total: number }>(counting, values)?.total ?? 0;
      return { items: rows.map(toRecord), totalItems };
    });
  }

  find(sequence: number): AuditRecord | undefined {
    const row = this.database.first<StoredAudit>(
      `SELECT ${columns}, removed_body FROM entity_change WHERE sequence = ?`,
      [sequence],
    );
    return row && toRecord(row);
  }
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

function conditionOf({ kinds, id, actions, authors, requestID, from, to }: AuditFilter): Condition {
  const named = authors?.map(storedText) ?? [];
  const parts = [
    kinds && { sql: isAmong("kind", kinds), values: kinds },
    id !== undefined && { sql: "id = ?", values: [storedText(id)] },
    actions && {
      sql: `(${actions.map((one) => actionSql[one]).join(" OR ") || "false"})`,
      values: [],
    },
    authors && {
      sql: `(${isAmong("key_id", named)} OR ${isAmong("key_name", named)})`,
      values: [...named, ...named],
    },
    requestID !== undefined && { sql: "request_id = ?", values: [storedText(requestID)] },
    from !== undefined && { sql: "time >= ?", values: [from] },
    to !== undefined && { sql: "time < ?", values: [to] },
  ].filter((part) => part !== undefined && part !== false);
  return {
    sql: parts.map(({ sql }) => sql).join(" AND ") || "true",
    values: parts.flatMap(({ values }): readonly SqlValue[] => values),
  };
}

function isAmong(column: string, values: readonly unknown[]): string {
  return `${column} IN (${values.map(() => "?").join(", ")})`;
}

function toRecord(row: StoredAudit): AuditRecord {
  return {
    sequence: row.sequence,
    time: row.time,
    kind: row.kind,
    id: originalText(row.id),
    version: row.version,
    fromVersion: row.from_version,
    author: authorOf(row),
    removed: row.removed_body === null ? null : toBody(row.removed_body),
  };
}

function authorOf({
  key_id: keyID,
  key_name: name,
  request_id: request,
}: StoredAudit): Author | null {
  if (keyID === null || name === null || request === null) return null;
  return { keyID, keyName: originalText(name), requestID: originalText(request) };
}
