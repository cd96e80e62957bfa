import { setImmediate as nextTurn } from "node:timers/promises";
import { SwitchyardError } from "../base/errors.js";
import { isBusy, retryWhileBusy } from "./busy-retry.js";
import { WAITING_WRITES_MAX, WRITES_PER_COMMIT_MAX } from "./limits.js";
import type { SqliteDatabase } from "./sqlite-database.js";

interface Write {
  readonly rehearse: boolean;
  run(): void;
  succeed(): void;
  fail(error: unknown): void;
}

/**
 * The way of every write into a database. A commit costs a sync of the disk, several times what its
 * statements cost: writes that come while the thread is busy share one. They run in the order in which
 * they came, each sees what those before it wrote, and one that fails takes no other with it.
 */
export class CommitQueue {
  readonly #database: SqliteDatabase;
  readonly #pause: (() => Promise<void>) | undefined;
  #waiting: Write[] = [];
  #draining: Promise<void> | undefined;

  /** `pause` resolves when it is time to try again what found the database locked. */
  constructor(database: SqliteDatabase, pause?: () => Promise<void>) {
    this.#database = database;
    this.#pause = pause;
  }

  /**
   * Resolves when what `work` wrote is durable; rejects when nothing of it was kept. `work` may run
   * several times, in different transactions. `rehearse` keeps nothing in any case.
   */
  write<Result>(work: () => Result, { rehearse = false } = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= WAITING_WRITES_MAX) throw overcrowded(this.#database.path);
      let result: Result;
      this.#waiting.push({
        rehearse,
        run: () => {
          result = work();
        },
        succeed: () => resolve(result),
        fail: reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What else this turn of the event loop brings is to come along.
      await nextTurn();
      await this.#commit(this.#take());
    }
    this.#draining = undefined;
  }

  /** What shares the next transaction; a rehearsal is alone, as its end is another. */
  #take(): Write[] {
    const rehearsal = this.#waiting.findIndex(({ rehearse }) => rehearse);
    const together = rehearsal === -1 ? WRITES_PER_COMMIT_MAX : Math.max(rehearsal, 1);
    return this.#waiting.splice(0, Math.min(together, WRITES_PER_COMMIT_MAX));
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    try {
      await retryWhileBusy(() => this.#runTogether(writes), this.#pause);
    } catch (error) {
      if (writes.length > 1 && !isBusy(error)) {
        for (const write of writes) await this.#commit([write]);
      } else {
        for (const write of writes) write.fail(error);
      }
      return;
    }
    for (const write of writes) write.succeed();
  }

  #runTogether(writes: readonly Write[]): void {
    this.#database.transaction(
      () => {
        for (const write of writes) write.run();
      },
      { rehearse: writes[0]?.rehearse ?? false },
    );
  }
}

function overcrowded(path: string): SwitchyardError {
  return new SwitchyardError(
    "database_busy",
    `${path}: ${WAITING_WRITES_MAX} writes wait already; try again later`,
  );
}
