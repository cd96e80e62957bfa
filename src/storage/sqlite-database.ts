import { pathToFileURL } from "node:url";
import Connection from "libsql";
import { databaseError } from "./database-error.js";
import { BUSY_TIMEOUT_MS, PAGE_CACHE_KIB } from "./storage-limits.js";

/** A database without a file. It is gone when it is closed. */
export const IN_MEMORY = ":memory:";

/** A value of a `?` in an SQL statement. */
export type SqlValue = string | number | null;

interface Changes {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

interface Prepared {
  all(values: readonly SqlValue[]): unknown[];
  get(values: readonly SqlValue[]): unknown;
  run(values: readonly SqlValue[]): Changes;
}

type NumberPragma =
  | "user_version"
  | "schema_version"
  | "application_id"
  | "page_size"
  | "page_count"
  | "freelist_count";

/** Bytes of a database, without its log. */
export interface DatabaseSize {
  readonly bytes: number;
  /** Bytes of pages that hold nothing and are used again. */
  readonly freeBytes: number;
}

/**
 * One connection to one SQLite file, which `openDatabase` has put into WAL mode. All calls are
 * synchronous, so no transaction is open while other code of this thread runs. Throws the errors that
 * `databaseError` returns.
 *
 * Two files lie next to the database file. `-wal` holds commits that are not in the file yet: it
 * belongs to the database, copy both. `-shm` is recreated when it is missing. SQLite moves the log into
 * the file every 1,000 pages and on close. Keep the file on a local disk: network file systems lack the
 * locks. To shrink a database after many removals, run `VACUUM` while the service is stopped.
 */
export class SqliteDatabase {
  readonly path: string;
  readonly #isReadOnly: boolean;
  readonly #connection: Connection.Database;
  readonly #prepared = new Map<string, Prepared>();
  readonly #dataVersion: Prepared;

  /**
   * With `readOnly`, nothing can be written, and closing leaves the log to the writers. `isImmutable`: the
   * file has no log and nobody writes it, so it is read without locks, also in a directory that cannot be
   * written. Throws `database_unwritable`, `database_damaged` and `database_busy`.
   */
  constructor(path: string, { readOnly = false, isImmutable = false } = {}) {
    this.path = path;
    this.#isReadOnly = readOnly;
    const file = isImmutable ? `${pathToFileURL(path).href}?immutable=1` : path;
    this.#connection = this.#guard(() => new Connection(file));
    try {
      this.setBusyTimeout(BUSY_TIMEOUT_MS);
      this.execute(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
      // Every commit syncs the log: acknowledged writes survive a power cut.
      this.execute("PRAGMA synchronous = FULL");
      if (readOnly) this.execute("PRAGMA query_only = ON");
      this.#dataVersion = this.#guard(() =>
        this.#connection.prepare("PRAGMA data_version").raw(true),
      ) as Prepared;
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  all<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#guard(() => this.#prepare(sql).all(values) as Row[]);
  }

  /** Returns the first row. The statement must not change anything. */
  first<Row>(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(values) as Row | undefined);
  }

  /** Reads rows one by one, each as a list of its values. */
  *rows<Row>(sql: string): Generator<Row, void> {
    const statement = this.#guard(() => this.#connection.prepare(sql).raw(true));
    const rows = this.#guard(() => statement.iterate()) as Iterator<Row>;
    for (;;) {
      const { done, value } = this.#guard(() => rows.next());
      if (done === true) return;
      yield value;
    }
  }

  run(sql: string, values: readonly SqlValue[] = []): Changes {
    return this.#guard(() => this.#prepare(sql).run(values));
  }

  /** Runs SQL outside of the hot path: pragmas, definitions. */
  execute(sql: string): void {
    this.#guard(() => this.#connection.exec(sql));
  }

  /** Sets how long a statement blocks this thread while another process has the database locked. */
  setBusyTimeout(milliseconds: number): void {
    this.execute(`PRAGMA busy_timeout = ${milliseconds}`);
  }

  pragma(name: NumberPragma): number {
    return this.#guard(() => {
      const row = this.#connection.prepare(`PRAGMA ${name}`).all()[0];
      return Number((row as Record<string, unknown>)[name]);
    });
  }

  size(): DatabaseSize {
    const pageBytes = this.pragma("page_size");
    return {
      bytes: this.pragma("page_count") * pageBytes,
      freeBytes: this.pragma("freelist_count") * pageBytes,
    };
  }

  /** Returns a number that changes when another connection has written to the file. */
  dataVersion(): number {
    return this.#guard(() => (this.#dataVersion.get([]) as [number])[0]);
  }

  get inTransaction(): boolean {
    return this.#connection.inTransaction;
  }

  /** Stores everything that `work` writes, durably, or nothing if `work` throws. */
  transaction<Result>(work: () => Result): Result {
    return this.#commit("BEGIN IMMEDIATE", work);
  }

  /**
   * Adds everything that `work` writes to the open transaction, or nothing if `work` throws. With
   * `rehearse`, adds nothing in either case.
   */
  savepoint<Result>(work: () => Result, { rehearse = false } = {}): Result {
    this.run("SAVEPOINT write");
    let isKept = false;
    try {
      const result = work();
      isKept = !rehearse;
      return result;
    } finally {
      if (this.inTransaction) {
        if (!isKept) this.run("ROLLBACK TO write");
        this.run("RELEASE write");
      }
    }
  }

  /** Runs several reads on one consistent state. */
  snapshot<Result>(work: () => Result): Result {
    return this.#commit("BEGIN", work);
  }

  close(): void {
    try {
      // The driver releases the file only after garbage collection, so end reading, or move the log, now.
      this.execute(this.#isReadOnly ? "ROLLBACK" : "PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Nothing is lost: the log is read when the database is opened again.
    }
    this.#prepared.clear();
    this.#connection.close();
  }

  #commit<Result>(begin: string, work: () => Result): Result {
    this.execute(begin);
    try {
      const result = work();
      this.execute("COMMIT");
      return result;
    } catch (error) {
      // SQLite has already rolled back after some failures, for example on a full disk.
      if (this.inTransaction) this.execute("ROLLBACK");
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

/** Characters that SQLite's driver changes: NUL ends the text, a lone surrogate is replaced. */
const unsafe = /[\0\u2400\ud800-\udfff]/gu;
const escaped = /\u2400([0-9a-f]{4})/g;

/**
 * Returns a text as it is stored; different texts stay different. Almost every text is stored
 * unchanged. NUL, `␀` (U+2400) and lone surrogates become `␀` and four hexadecimal digits.
 */
export function storedText(text: string): string {
  return text.replace(
    unsafe,
    (unit) => `\u2400${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function originalText(stored: string): string {
  return stored.replace(escaped, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
