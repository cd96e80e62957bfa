import { timingSafeEqual } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import type { CommitQueue } from "./commit-queue.js";
import type { KeyRecord, KeyStore } from "./key-store.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { query } from "./sqlite-schema.js";
import { statement } from "./sqlite-statement.js";

/** Digits of the hash that keys are looked up by; the rest is compared in constant time. */
const BUCKET_DIGITS = 8;

const selectKeys = statement((_: object) =>
  query.selectFrom("key").selectAll().orderBy("created_time").orderBy("id"),
);

const selectSameKey = statement(({ id, hash }: Pick<KeyRecord, "id" | "hash">) =>
  query
    .selectFrom("key")
    .select("id")
    .where((either) => either.or([either("id", "=", id), either("hash", "=", hash)])),
);

const insertKey = statement((key: Omit<KeyRecord, "canWrite"> & { readonly canWrite: 0 | 1 }) =>
  query.insertInto("key").values({
    id: key.id,
    kind: key.kind,
    can_write: key.canWrite,
    hash: key.hash,
    prefix: key.prefix,
    created_time: key.createdTime,
    revoked_time: key.revokedTime,
  }),
);

const revokeKey = statement(({ id, time }: { readonly id: string; readonly time: number }) =>
  query
    .updateTable("key")
    .set({ revoked_time: time })
    .where("id", "=", id)
    .where("revoked_time", "is", null),
);

interface KnownKey {
  readonly record: KeyRecord;
  readonly hash: Buffer;
}

/**
 * Keys in a database that has the console's schema. All of them are held in memory, so that a request
 * costs no query, with a right key or a wrong one; they are read anew after any write of keys, and after
 * another process wrote to the database.
 */
export class SqliteKeyStore implements KeyStore {
  readonly #database: SqliteDatabase;
  readonly #queue: CommitQueue;
  #buckets: ReadonlyMap<string, readonly KnownKey[]> | undefined;
  #dataVersion = Number.NaN;
  /** Whether the database was asked in this turn of the event loop; requests of one turn share it. */
  #isAsked = false;

  constructor(database: SqliteDatabase, queue: CommitQueue) {
    this.#database = database;
    this.#queue = queue;
  }

  async find(hash: string): Promise<KeyRecord | undefined> {
    const wanted = Buffer.from(hash, "latin1");
    return this.#bucketOf(hash)?.find((key) => isEqual(key.hash, wanted))?.record;
  }

  async list(): Promise<readonly KeyRecord[]> {
    return this.#read();
  }

  async insert(key: KeyRecord): Promise<void> {
    await this.#queue.write(() => {
      if (this.#database.first(selectSameKey, key) !== undefined) throw keyTaken(key);
      this.#database.run(insertKey, { ...key, canWrite: key.canWrite ? 1 : 0 });
      this.#buckets = undefined;
    });
  }

  async revoke(id: string, time: number): Promise<boolean> {
    return this.#queue.write(() => {
      this.#buckets = undefined;
      return this.#database.run(revokeKey, { id, time }).changes > 0;
    });
  }

  #bucketOf(hash: string): readonly KnownKey[] | undefined {
    if (!this.#isAsked) {
      this.#isAsked = true;
      setImmediate(() => {
        this.#isAsked = false;
      });
      // Taken before the keys are read: a write in between makes the next turn read them again.
      const dataVersion = this.#database.dataVersion();
      if (dataVersion !== this.#dataVersion) this.#buckets = undefined;
      this.#dataVersion = dataVersion;
    }
    this.#buckets ??= inBuckets(this.#read());
    return this.#buckets.get(bucketName(hash));
  }

  #read(): readonly KeyRecord[] {
    return this.#database.all(selectKeys, {}).map((row) => ({
      id: row.id,
      kind: row.kind,
      canWrite: row.can_write === 1,
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
    `a key with the id ${id}, or the very key that begins with ${prefix}, is stored already; use it, ` +
      "or make another one",
  );
}
