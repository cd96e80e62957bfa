import Connection from "libsql";
import { databaseError } from "./database-error.js";
import { BUSY_TIMEOUT_MS, PAGE_CACHE_KIB } from "./limits.js";
import type { Statement } from "./sqlite-statement.js";

/** A database without a file, gone when it is closed. */
export const IN_MEMORY = ":memory:";

export interface Changes {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

interface Prepared {
  all(values: unknown[]): unknown[];
  get(values: unknown[]): unknown;
  run(values: unknown[]): Changes;
}

/**
 * One connection to one SQLite file, which `openDatabase` has put into WAL mode. Everything runs at
 * once and on the caller's thread, so no transaction is ever open while other code of this thread
 * runs. Failures come as `databaseError` makes them.
 *
 * Beside the file lie `-wal` (what was committed and is not yet in the file: it belongs to the database,
 * copy both) and `-shm` (made anew when missing). The log is moved into the file every 1,000 pages and
 * on close. Keep the file on a local disk: network file systems lack the locks. To copy a database that
 * is in use, `VACUUM INTO 'copy.db'` in any SQLite shell; to prove one, `PRAGMA integrity_check`; to
 * shrink it after many removals, `VACUUM` while the service is stopped.
 */
export class SqliteDatabase {
  readonly path: string;
  readonly #connection: Connection.Database;
  readonly #prepared = new Map<string, Prepared>();
  readonly #dataVersion: Prepared;

  /** Throws `database_unwritable`, `database_damaged` and `database_busy`. */
  constructor(path: string) {
    this.path = path;
    this.#connection = this.#guard(() => new Connection(path));
    try {
      this.execute(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      this.execute(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
      // The log is synced on every commit: what was acknowledged survives a power cut.
      this.execute("PRAGMA synchronous = FULL");
      this.#dataVersion = this.#guard(() =>
        this.#connection.prepare("PRAGMA data_version").raw(true),
      ) as Prepared;
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  all<Values, Row>(statement: Statement<Values, Row>, values: Values): Row[] {
    return this.#guard(() => this.#prepare(statement.sql).all(statement.bind(values)) as Row[]);
  }

  /** The first row; the statement must change nothing. */
  first<Values, Row>(statement: Statement<Values, Row>, values: Values): Row | undefined {
    return this.#guard(
      () => this.#prepare(statement.sql).get(statement.bind(values)) as Row | undefined,
    );
  }

  run<Values>(statement: Statement<Values, unknown>, values: Values): Changes {
    return this.#guard(() => this.#prepare(statement.sql).run(statement.bind(values)));
  }

  /** Runs SQL that is no part of the hot path: pragmas, definitions. */
  execute(sql: string): void {
    this.#guard(() => this.#connection.exec(sql));
  }

  pragma(name: "user_version" | "schema_version" | "application_id"): number {
    return this.#guard(() => {
      const row = this.#connection.prepare(`PRAGMA ${name}`).all()[0];
      return Number((row as Record<string, unknown>)[name]);
    });
  }

  /** Another number as soon as another connection has written to the file. */
  dataVersion(): number {
    return this.#guard(() => (this.#dataVersion.get([]) as [number])[0]);
  }

  /**
   * Keeps all that `work` writes, durably, or nothing of it where it throws. `rehearse` does the same
   * and then keeps nothing either.
   */
  transaction<Result>(work: () => Result, { rehearse = false } = {}): Result {
    return this.#between("BEGIN IMMEDIATE", work, rehearse ? "ROLLBACK" : "COMMIT");
  }

  /** What `work` reads is all of one moment. */
  snapshot<Result>(work: () => Result): Result {
    return this.#between("BEGIN", work, "COMMIT");
  }

  close(): void {
    try {
      // The driver lets go of the file only when its statements are collected; the log is moved now.
      this.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Nothing is lost: who opens the database next reads the log.
    }
    this.#prepared.clear();
    this.#connection.close();
  }

  #between<Result>(begin: string, work: () => Result, end: string): Result {
    this.execute(begin);
    try {
      const result = work();
      this.execute(end);
      return result;
    } catch (error) {
      // After some failures, a full disk for one, SQLite has rolled back by itself.
      if (this.#connection.inTransaction) this.execute("ROLLBACK");
      throw error;
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#connection.prepare(sql) as unknown as Prepared;
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw databaseError(this.path, error);
    }
  }
}
