import { timingSafeEqual } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import { groupBy } from "../base/group-by.js";
import type { Author } from "./author.js";
import { EntityChangeLog } from "./entity-change-log.js";
import type { KeyKind, KeyRecord, KeyStore } from "./key-store.js";
import { originalText, type SqliteDatabase, storedText } from "./sqlite-database.js";
import { WriteBatch } from "./write-batch.js";

/** Digits of the hash that keys are looked up by; the rest is compared in constant time. */
const BUCKET_DIGITS = 8;

interface StoredKey {
  readonly id: string;
  readonly kind: KeyKind;
  readonly name: string;
  readonly owner: string | null;
  /** JSON. */
  readonly scopes: string;
  readonly requests_per_minute: number | null;
  readonly target_app: string | null;
  readonly hash: string;
  readonly prefix: string;
  readonly created_time: number;
  readonly revoked_time: number | null;
  readonly expires_time: number | null;
  readonly used_time: number | null;
}

const selectKeys = "SELECT * FROM key ORDER BY created_time, id";
const selectSameKey = "SELECT id FROM key WHERE id = ? OR hash = ?";
const insertKey = `INSERT INTO key
  (id, kind, name, owner, scopes, requests_per_minute, target_app, hash, prefix, created_time,
    revoked_time, expires_time, used_time)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const revokeKey = "UPDATE key SET revoked_time = ? WHERE id = ? AND revoked_time IS NULL";
const noteUse = "UPDATE key SET used_time = ? WHERE id = ?";

/** Milliseconds between two uses of a key that are both written. */
const NOTED_USES_MS_MIN = 60_000;

interface KnownKey {
  record: KeyRecord;
  readonly hash: Buffer;
}

/**
 * Keys in a database with the console's schema. All keys are in memory, so a request needs no query, even
 * with an unknown key. They are read again after each write of a key, and after another process has
 * written to the database.
 */
export class SqliteKeyStore implements KeyStore {
  readonly #database: SqliteDatabase;
  readonly #changes: EntityChangeLog;
  #buckets: ReadonlyMap<string, readonly KnownKey[]> | undefined;
  #dataVersion = Number.NaN;
  /** True if this turn of the event loop has read the data version: its requests share one read. */
  #isAsked = false;

  /** `batch` makes the writes beside requests, together with theirs. */
  constructor(
    database: SqliteDatabase,
    private readonly batch = new WriteBatch(database),
  ) {
    this.#database = database;
    this.#changes = new EntityChangeLog(database);
  }

  async find(hash: string): Promise<KeyRecord | undefined> {
    const wanted = Buffer.from(hash, "latin1");
    return this.#bucketOf(hash)?.find((key) => isEqual(key.hash, wanted))?.record;
  }

  async list(): Promise<readonly KeyRecord[]> {
    return this.#read();
  }

  async insert(key: KeyRecord, author?: Author): Promise<void> {
    const { id, hash } = key;
    const facts = [id, key.kind, storedText(key.name), key.owner && storedText(key.owner)];
    const rights = [JSON.stringify(key.scopes), key.requestsPerMinuteMax, key.targetApp];
    const times = [key.createdTime, key.revokedTime, key.expiresTime, key.lastUsedTime];
    const values = [...facts, ...rights, hash, key.prefix, ...times];
    this.#database.transaction(() => {
      if (this.#database.first(selectSameKey, [id, hash]) !== undefined) throw keyTaken(key);
      this.#database.run(insertKey, values);
      this.#log(1, key.createdTime, { id, author });
    });
    this.#buckets = undefined;
  }

  async revoke(id: string, time: number, author?: Author): Promise<boolean> {
    const changes = this.#database.transaction(() => {
      const { changes: revoked } = this.#database.run(revokeKey, [time, id]);
      if (revoked > 0) this.#log(2, time, { id, author });
      return revoked;
    });
    this.#buckets = undefined;
    return changes > 0;
  }

  noteUse({ id, hash }: KeyRecord, time: number): void {
    // Keys that an embedded service has beside the stored ones have no row.
    const known = this.#buckets?.get(bucketName(hash))?.find(({ record }) => record.id === id);
    if (known === undefined) return;
    const { lastUsedTime } = known.record;
    if (lastUsedTime !== null && time - lastUsedTime < NOTED_USES_MS_MIN) return;
    known.record = { ...known.record, lastUsedTime: time };
    // On a full disk requests still read.
    this.batch.write(() => this.#database.run(noteUse, [time, id])).catch(() => undefined);
  }

  /** Adds a write of a key to the open transaction. Version 1 is the key, 2 the revoked one. */
  #log(
    version: 1 | 2,
    time: number,
    of: { readonly id: string; readonly author?: Author | undefined },
  ) {
    if (of.author === undefined) return;
    const state = { kind: "key", id: of.id } as const;
    const before = version === 1 ? undefined : { ...state, version: version - 1 };
    this.#changes.add({ before, next: { ...state, version } }, of.author, time);
  }

  #bucketOf(hash: string): readonly KnownKey[] | undefined {
    if (!this.#isAsked) {
      this.#isAsked = true;
      setImmediate(() => {
        this.#isAsked = false;
      });
      // Read before the keys: after a write in between, the next turn reads them again.
      const dataVersion = this.#database.dataVersion();
      if (dataVersion !== this.#dataVersion) this.#buckets = undefined;
      this.#dataVersion = dataVersion;
    }
    this.#buckets ??= inBuckets(this.#read());
    return this.#buckets.get(bucketName(hash));
  }

  #read(): readonly KeyRecord[] {
    return this.#database.all<StoredKey>(selectKeys).map((row) => ({
      id: row.id,
      kind: row.kind,
      name: originalText(row.name),
      owner: row.owner && originalText(row.owner),
      scopes: JSON.parse(row.scopes) as readonly string[],
      requestsPerMinuteMax: row.requests_per_minute,
      targetApp: row.target_app,
      hash: row.hash,
      prefix: row.prefix,
      createdTime: row.created_time,
      revokedTime: row.revoked_time,
      expiresTime: row.expires_time,
      lastUsedTime: row.used_time,
    }));
  }
}

function inBuckets(records: readonly KeyRecord[]): ReadonlyMap<string, readonly KnownKey[]> {
  const keys = records.map((record) => ({ record, hash: Buffer.from(record.hash, "latin1") }));
  return groupBy(keys, ({ record }) => bucketName(record.hash));
}

function bucketName(hash: string): string {
  return hash.slice(0, BUCKET_DIGITS);
}

function isEqual(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function keyTaken({ id, prefix }: KeyRecord): SwitchyardError {
  return new SwitchyardError(
    "key_taken",
    `a key with the id ${id}, or the same key that begins with ${prefix}, is stored already; use it, ` +
      "or create another one",
  );
}
