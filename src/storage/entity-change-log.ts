import type { AuditedKind } from "../contract/common.js";
import type { Author } from "./author.js";
import { originalText, type SqliteDatabase, storedText } from "./sqlite-database.js";
import type { EntityChangeRecord, LatestChange } from "./store.js";
import type { StoredEntity } from "./stored-entity.js";

const selectLatest = "SELECT sequence, time FROM entity_change ORDER BY sequence DESC LIMIT 1";
const selectAfter = `SELECT sequence, time, kind, id, version FROM entity_change
  WHERE sequence > ? ORDER BY sequence LIMIT ?`;
/** Takes the present time, which may be that of an earlier row or before it. */
const insertChange = `INSERT INTO entity_change
  (time, kind, id, version, from_version, key_id, key_name, request_id, removed_body)
  VALUES (max(?, coalesce((SELECT time FROM entity_change ORDER BY sequence DESC LIMIT 1), 0) + 1),
    ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The state of an entity or a key, as far as it is logged. */
interface LoggedState extends Pick<StoredEntity, "id" | "version"> {
  readonly kind: AuditedKind;
  /** JSON; kept of what is removed. */
  readonly body?: string;
}

/** An entity or key before and after a write; undefined while it does not exist. */
interface Changed {
  readonly before: LoggedState | undefined;
  readonly next: LoggedState | undefined;
}

/** The log of writes, in a database with the console's schema. */
export class EntityChangeLog {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Reads one row, in about 5 µs: nothing is remembered, so it shows writes of other processes. */
  latest(): LatestChange {
    const row = this.#database.first<LatestChange>(selectLatest);
    return { sequence: row?.sequence ?? 0, time: row?.time ?? 0 };
  }

  after(sequence: number, count: number): readonly EntityChangeRecord[] {
    const found = this.#database.all<EntityChangeRecord>(selectAfter, [sequence, count]);
    return found.map(({ id, ...change }) => ({ ...change, id: originalText(id) }));
  }

  /** Adds a write at a time to the open transaction. A removal keeps what it removed. */
  add({ before, next }: Changed, author: Author | undefined, time: number): void {
    const changed = next ?? before;
    if (changed === undefined) return;
    const versions = [next?.version ?? null, before?.version ?? null];
    const who = author
      ? [author.keyID, storedText(author.keyName), storedText(author.requestID)]
      : [null, null, null];
    const removed = next === undefined ? (changed.body ?? null) : null;
    const values = [time, changed.kind, changed.id, ...versions, ...who, removed];
    this.#database.run(insertChange, values);
  }
}
