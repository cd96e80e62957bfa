/** Milliseconds between two looks at what is due: it may be made so late. */
const INTERVAL_MS = 1_000;

/** Does some work each second, never twice at the same time. */
export class EverySecond {
  readonly #timer: NodeJS.Timeout;
  #done: Promise<void> = Promise.resolve();
  #isBusy = false;

  /** `onFailed` gets errors of the work, which is done again. */
  constructor(work: () => Promise<void>, onFailed: (error: unknown) => void) {
    this.#timer = setInterval(() => {
      if (this.#isBusy) return;
      this.#isBusy = true;
      this.#done = work()
        .catch(onFailed)
        .finally(() => {
          this.#isBusy = false;
        });
    }, INTERVAL_MS).unref();
  }

  /** Waits for the work that has begun. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#done;
  }
}
