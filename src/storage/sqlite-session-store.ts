import type { SessionRecord, SessionStore } from "./session-store.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import type { WriteBatch } from "./write-batch.js";

const selectSession = `SELECT hash, key_hash AS keyHash, created_time AS createdTime,
  expires_time AS expiresTime FROM session WHERE hash = ?`;
const insertSession = "INSERT INTO session VALUES (?, ?, ?, ?)";
const removeExpired = "DELETE FROM session WHERE expires_time <= ?";
const removeSession = "DELETE FROM session WHERE hash = ?";

/** Sessions in a database with the console's schema. */
export class SqliteSessionStore implements SessionStore {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly batch: WriteBatch,
  ) {}

  async find(hash: string): Promise<SessionRecord | undefined> {
    return this.database.all<SessionRecord>(selectSession, [hash])[0];
  }

  insert({ hash, keyHash, createdTime, expiresTime }: SessionRecord): Promise<void> {
    return this.batch.write(() => {
      this.database.run(removeExpired, [createdTime]);
      this.database.run(insertSession, [hash, keyHash, createdTime, expiresTime]);
    });
  }

  remove(hash: string): Promise<void> {
    return this.batch.write(() => void this.database.run(removeSession, [hash]));
  }
}
