import { timingSafeEqual } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import type { KeyKind, KeyRecord, KeyStore } from "./key-store.js";
import type { SqliteDatabase } from "./sqlite-database.js";

/** Digits of the hash that keys are looked up by; the rest is compared in constant time. */
const BUCKET_DIGITS = 8;

interface StoredKey {
  readonly id: string;
  readonly kind: KeyKind;
  readonly can_write: 0 | 1;
  readonly target_app: string | null;
  readonly hash: string;
  readonly prefix: string;
  readonly created_time: number;
  readonly revoked_time: number | null;
}

const selectKeys = "SELECT * FROM key ORDER BY created_time, id";
const selectSameKey = "SELECT id FROM key WHERE id = ? OR hash = ?";
const insertKey = `INSERT INTO key
  (id, kind, can_write, target_app, hash, prefix, created_time, revoked_time)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const revokeKey = "UPDATE key SET revoked_time = ? WHERE id = ? AND revoked_time IS NULL";

interface KnownKey {
  readonly record: KeyRecord;
  readonly hash: Buffer;
}

/**
 * Keys in a database with the console's schema. All keys are in memory, so a request needs no query, even
 * with an unknown key. They are read again after each write of a key, and after another process has
 * written to the database.
 */
export class SqliteKeyStore implements KeyStore {
  readonly #database: SqliteDatabase;
  #buckets: ReadonlyMap<string, readonly KnownKey[]> | undefined;
  #dataVersion = Number.NaN;
  /** True if this turn of the event loop has read the data version: its requests share one read. */
  #isAsked = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async find(hash: string): Promise<KeyRecord | undefined> {
    const wanted = Buffer.from(hash, "latin1");
    return this.#bucketOf(hash)?.find((key) => isEqual(key.hash, wanted))?.record;
  }

  async list(): Promise<readonly KeyRecord[]> {
    return this.#read();
  }

  async insert(key: KeyRecord): Promise<void> {
    const { id, kind, canWrite, targetApp, hash, prefix, createdTime, revokedTime } = key;
    const rights = [canWrite ? 1 : 0, targetApp];
    const values = [id, kind, ...rights, hash, prefix, createdTime, revokedTime];
    this.#database.transaction(() => {
      if (this.#database.first(selectSameKey, [id, hash]) !== undefined) throw keyTaken(key);
      this.#database.run(insertKey, values);
    });
    this.#buckets = undefined;
  }

  async revoke(id: string, time: number): Promise<boolean> {
    const { changes } = this.#database.transaction(() => this.#database.run(revokeKey, [time, id]));
    this.#buckets = undefined;
    return changes > 0;
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
      canWrite: row.can_write === 1,
      targetApp: row.target_app,
      hash: row.hash,
      prefix: row.prefix,
      createdTime: row.created_time,
      revokedTime: row.revoked_time,
    }));
  }
}

function inBuckets(records: readonly KeyRecord[]): ReadonlyMap<string, readonly KnownKey[]> {
  const buckets = new Map<string, KnownKey[]>();
  for (const record of records) {
    const name = bucketName(record.hash);
    const bucket = buckets.get(name) ?? [];
    bucket.push({ record, hash: Buffer.from(record.hash, "latin1") });
    buckets.set(name, bucket);
  }
  return buckets;
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
