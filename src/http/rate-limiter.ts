import type { KeyRecord } from "../storage/key-store.js";

const MINUTE_MS = 60_000;

interface Bucket {
  /** Requests that may come at once. */
  tokens: number;
  /** ms since the epoch. */
  time: number;
}

/**
 * Limits the requests of each key by a token bucket. It holds the requests of a minute and fills up
 * evenly, so a key may use a minute's worth at once, then one request each time that a token arrives.
 */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();

  /** Returns undefined if the request may pass, else the seconds after which the next one may. */
  take(
    { id, requestsPerMinuteMax }: Pick<KeyRecord, "id" | "requestsPerMinuteMax">,
    now: number,
  ): number | undefined {
    if (requestsPerMinuteMax === null) return undefined;
    const before = this.#buckets.get(id) ?? { tokens: requestsPerMinuteMax, time: now };
    // A clock that is set back adds nothing.
    const added = (Math.max(now - before.time, 0) * requestsPerMinuteMax) / MINUTE_MS;
    const tokens = Math.min(before.tokens + added, requestsPerMinuteMax);
    const isPassed = tokens >= 1;
    this.#buckets.set(id, { tokens: isPassed ? tokens - 1 : tokens, time: now });
    if (isPassed) return undefined;
    return Math.ceil(((1 - tokens) * MINUTE_MS) / requestsPerMinuteMax / 1_000);
  }
}
