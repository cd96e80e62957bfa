import type { FetchClock } from "./fetch-clock.js";

/** A limit of a vendor: so many requests in any time of this length. */
export interface RequestsPerTime {
  readonly requests: number;
  readonly ms: number;
}

/** How much of a limit is used now. */
export interface LimitUse extends RequestsPerTime {
  readonly used: number;
}

interface LimitMemory {
  /** Times of earlier requests, in ms since 1970. */
  readonly times: readonly number[];
  /** Remembers the times of all requests that count, before the last of them is made. */
  remember(times: readonly number[]): Promise<void>;
}

/**
 * Lets requests begin so that no time has more of them than the vendor takes, wherever it begins. The times
 * survive the process, because the vendor counts on: a limiter in memory would begin again after a kill.
 */
export class RequestLimit {
  #times: number[];
  /** Ends when the request before may begin. */
  #before: Promise<unknown> = Promise.resolve();
  readonly #longestMs: number;

  constructor(
    private readonly limits: readonly RequestsPerTime[],
    private readonly clock: FetchClock,
    private readonly memory: LimitMemory,
  ) {
    this.#times = [...memory.times];
    this.#longestMs = Math.max(0, ...limits.map(({ ms }) => ms));
  }

  /** Resolves when the next request may begin; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void> {
    if (this.limits.length === 0) return Promise.resolve();
    const turn = this.#before.then(() => this.#wait(signal));
    this.#before = turn.catch(() => undefined);
    return turn;
  }

  /** Returns the use of the longest limit; undefined if there is none. */
  use(): LimitUse | undefined {
    const limit = this.limits.find(({ ms }) => ms === this.#longestMs);
    if (limit === undefined) return undefined;
    const since = this.clock.now() - limit.ms;
    return { ...limit, used: this.#times.filter((time) => time > since).length };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    // The clock may have been set back since.
    const latest = this.clock.now();
    this.#times = this.#times.map((time) => Math.min(time, latest));
    for (let waitMs = this.#waitMs(); waitMs > 0; waitMs = this.#waitMs()) {
      await this.clock.sleep(waitMs, signal);
    }
    signal.throwIfAborted();
    const now = this.clock.now();
    this.#times = [...this.#times.filter((time) => time > now - this.#longestMs), now];
    await this.memory.remember(this.#times);
  }

  #waitMs(): number {
    const now = this.clock.now();
    const waits = this.limits.map(({ requests, ms }) => {
      const nth = this.#times.at(-requests);
      return nth === undefined ? 0 : nth + ms - now + 1;
    });
    return Math.max(0, ...waits);
  }
}
