import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { sum } from "../base/sum.js";

/** The most, in milliseconds of the rate, that requests take from the bucket in one call. */
const SHARE_MS = 100;
const RECONNECT_MS_MAX = 5_000;

/**
 * Takes events from a bucket, which Redis stores as the time, by its clock, at which the bucket is
 * full again. Returns the milliseconds to wait before the events are sent. A call may take more
 * than the burst; later calls then wait longer.
 */
const TAKE = `
local time = redis.call("TIME")
local now = time[1] * 1000 + time[2] / 1000
local cost, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local full = math.max(tonumber(redis.call("GET", KEYS[1]) or "0"), now)
local wait = full - now + math.min(cost, burst) - burst
redis.call("SET", KEYS[1], string.format("%.3f", full + cost), "PX", math.ceil(full + cost - now) + 1000)
return math.max(0, math.ceil(wait))
`;

export interface SharedRateOptions {
  /** Address of Redis; may hold a password. */
  readonly url: string;
  /** Names the bucket. */
  readonly name: string;
  /** Events per second of all processes together. */
  readonly rate: number;
  /** Events that may be sent at once after a pause. */
  readonly burst: number;
}

/**
 * A rate limit shared by several processes. They never exceed it, except for one more burst if
 * Redis loses its data: events that a process took and did not send are lost to the rate, and
 * sending pauses while Redis cannot be reached. (The package bottleneck needs 0.26 ms of CPU for
 * each request. This needs 0.004 ms, because requests that wait at the same time share a call.)
 */
export class SharedRate {
  readonly #redis: Redis;
  readonly #waiting: { readonly events: number; proceed(): void }[] = [];
  #isTaking = false;

  constructor(private readonly options: SharedRateOptions) {
    this.#redis = new Redis(options.url, {
      maxRetriesPerRequest: null,
      retryStrategy: (attempt) => Math.min(attempt * 200, RECONNECT_MS_MAX),
    });
    // The queue reports that Redis cannot be reached.
    this.#redis.on("error", () => undefined);
  }

  /** Resolves when this number of events may be sent. */
  take(events: number): Promise<void> {
    return new Promise((proceed) => {
      this.#waiting.push({ events, proceed });
      if (!this.#isTaking) void this.#serve();
    });
  }

  close(): void {
    this.#redis.disconnect();
  }

  async #serve(): Promise<void> {
    this.#isTaking = true;
    // Requests that wait at the same time share a call.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const share = this.#nextShare();
      const delayMs = await this.#pay(sum(share, ({ events }) => events));
      if (delayMs > 0) await sleep(delayMs);
      for (const { proceed } of share) proceed();
    }
    this.#isTaking = false;
  }

  #nextShare() {
    const { rate, burst } = this.options;
    const eventsMax = Math.min(burst, (rate * SHARE_MS) / 1000);
    let [count, events] = [0, 0];
    for (const one of this.#waiting) {
      if (count > 0 && events + one.events > eventsMax) break;
      events += one.events;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Returns the milliseconds until the events may be sent. */
  async #pay(events: number): Promise<number> {
    const { name, rate, burst } = this.options;
    const msPerEvent = 1000 / rate;
    const key = `switchyard:rate:${name}`;
    const wait = await this.#redis
      .eval(TAKE, 1, key, events * msPerEvent, burst * msPerEvent)
      // Do not send without an answer.
      .catch(() => sleep(RECONNECT_MS_MAX).then(() => this.#pay(events)));
    return Number(wait);
  }
}
