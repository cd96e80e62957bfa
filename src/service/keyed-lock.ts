/** Lets one task at a time work on a key; tasks wait in the order in which they came. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    const mine = before === undefined ? task() : before.then(task);
    // Who waits is to run whether or not this task fails.
    const tail = mine.catch(() => undefined);
    this.#tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
