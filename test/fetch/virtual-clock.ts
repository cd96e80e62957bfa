import type { FetchClock } from "../../src/fetch/fetch-clock.js";

/** Turns of the event loop without work after which everybody sleeps. */
const IDLE_TURNS = 2;

interface Sleeper {
  readonly untilMs: number;
  wake(): void;
}

/**
 * A clock that goes on to the next wake-up as soon as everybody sleeps. Work that waits for anything but the
 * clock must go through `working`.
 */
export class VirtualClock implements FetchClock {
  readonly #sleepers = new Set<Sleeper>();
  #now: number;
  #busy = 0;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", stop);
      };
      const stop = () => {
        end();
        reject(signal?.reason as Error);
      };
      const sleeper = {
        untilMs: this.#now + ms,
        wake: () => {
          end();
          resolve();
        },
      };
      if (signal?.aborted === true) return reject(signal.reason as Error);
      signal?.addEventListener("abort", stop);
      this.#sleepers.add(sleeper);
    });
  }

  /** Holds the clock while work is under way. */
  async working<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
    }
  }

  /** Lets time pass until the work is done. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    for (let idle = 0; !isDone; ) {
      await new Promise(setImmediate);
      idle = this.#busy > 0 ? 0 : idle + 1;
      if (idle < IDLE_TURNS || isDone) continue;
      idle = 0;
      const next = [...this.#sleepers].sort((one, other) => one.untilMs - other.untilMs)[0];
      if (next === undefined) continue;
      this.#now = Math.max(this.#now, next.untilMs);
      next.wake();
    }
    return work;
  }
}
