import { SwitchyardError } from "../base/errors.js";
import type { SqliteDatabase } from "./sqlite-database.js";

interface Write {
  /** Runs the write and returns a function that passes the result to its caller. */
  run(): () => void;
  fail(error: unknown): void;
}

/**
 * Lets the writes that arrive in one turn of the event loop share one transaction. A commit costs a
 * sync of the disk, about as much as all other work of a request: under load, sharing it doubles the
 * writes per second. Each write sees the writes before it. Its failure does not affect the others.
 */
export class WriteBatch {
  readonly #database: SqliteDatabase;
  #waiting: Write[] = [];
  /** Writes through another connection; undefined if there are none. It never rejects. */
  #others: Promise<void> | undefined;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Resolves when the write is durable; rejects if nothing of it was stored. */
  write<Result>(work: () => Result, { rehearse = false } = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.flush());
      this.#waiting.push({
        run: () => {
          const result = this.#database.savepoint(work, { rehearse });
          return () => resolve(result);
        },
        fail: reject,
      });
    });
  }

  /** Runs `work`, which writes through another connection. Other writes wait until it has ended. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const start = () => {
      this.#commitWaiting();
      return work();
    };
    const result = this.#others === undefined ? start() : this.#others.then(start);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.#others = ended;
    void ended.then(() => {
      if (this.#others !== ended) return;
      this.#others = undefined;
      this.#commitWaiting();
    });
    return result;
  }

  /** Makes the waiting writes now, instead of at the end of the turn. */
  flush(): void {
    if (this.#others === undefined) this.#commitWaiting();
  }

  /** Resolves when all writes have ended. */
  async finish(): Promise<void> {
    while (this.#others !== undefined) await this.#others;
    this.#commitWaiting();
  }

  #commitWaiting(): void {
    const writes = this.#waiting;
    this.#waiting = [];
    if (writes.length > 0) this.#commit(writes);
  }

  #commit(writes: readonly Write[]): void {
    const answers: (() => void)[] = [];
    try {
      this.#database.transaction(() => {
        for (const { run, fail } of writes) {
          try {
            answers.push(run());
          } catch (error) {
            // A full disk can end the whole transaction.
            if (!this.#database.inTransaction) throw error;
            answers.push(() => fail(error));
          }
        }
      });
    } catch (error) {
      this.#refuse(writes, error);
      return;
    }
    for (const answer of answers) answer();
  }

  /** Repeats each write in its own transaction, because one of them made the shared one fail. */
  #refuse(writes: readonly Write[], error: unknown): void {
    const isBusy = error instanceof SwitchyardError && error.code === "database_busy";
    for (const write of writes) {
      if (writes.length === 1 || isBusy) write.fail(error);
      else this.#commit([write]);
    }
  }
}
