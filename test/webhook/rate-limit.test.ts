import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { RateLimit, type RateLimits } from "../../src/webhook/rate-limit.js";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.js";
import { scratchDirectory } from "../support/scratch.js";

const opened: RateLimit[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  for (const limit of opened.splice(0)) limit.close();
});

function alone(limits: RateLimits): RateLimit {
  const limit = RateLimit.alone(limits);
  opened.push(limit);
  return limit;
}

/** Takes `events` at a time, side by side, until all processes have taken `total`. Returns the milliseconds. */
async function take(limits: readonly RateLimit[], total: number, events = 1): Promise<number> {
  const startedMs = performance.now();
  const each = total / events / limits.length;
  await Promise.all(
    limits.flatMap((limit) => Array.from({ length: each }, () => limit.take(events))),
  );
  return performance.now() - startedMs;
}

/** The least milliseconds for events: timers of Node end up to 1 ms early. */
const leastMs = (events: number, { rate, burst, batchRows }: RateLimits) =>
  ((events - Math.max(burst, batchRows)) / rate) * 1_000 - 5;

describe("the rate of a process that is alone", () => {
  test.each([
    { rate: 1_000, burst: 100, batchRows: 1 },
    { rate: 400, burst: 4, batchRows: 1 },
    { rate: 4_000, burst: 10, batchRows: 100 },
    { rate: 30_000, burst: 300, batchRows: 7 },
  ])("is not exceeded by more than the burst: %o", async (limits) => {
    const limit = alone(limits);
    const total = Math.ceil((limits.burst + limits.rate / 2) / limits.batchRows) * limits.batchRows;
    const startedMs = performance.now();
    // Again after a pause, in which the burst grows, and no more than that.
    await take([limit], total, limits.batchRows);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await take([limit], total, limits.batchRows);
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThanOrEqual(leastMs(2 * total, limits));
  });

  test("allows a burst at once, and a batch that is larger than the burst", async () => {
    // Nothing else would come in a lifetime.
    await take([alone({ rate: 1e-3, burst: 50, batchRows: 1 })], 50);
    const limit = alone({ rate: 1e-3, burst: 5, batchRows: 60 });
    await limit.take(60);
    let isTaken = false;
    void limit.take(1).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isTaken).toBe(false);
  });

  test("a burst that is never used up does not grow", async () => {
    const limits = { rate: 200, burst: 20, batchRows: 1 };
    const limit = alone(limits);
    await limit.take(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await take([limit], 60)).toBeGreaterThanOrEqual(leastMs(60, limits));
  });
});

let redis: RedisServer;

describe.skipIf(!hasRedis())("a rate that processes share", () => {
  beforeAll(async () => {
    redis = await startRedis(join(scratchDirectory("shared-rate"), "redis"));
  });
  afterAll(async () => {
    redis.client.disconnect();
    await redis.stop();
  });

  const open = async (name: string, limits: RateLimits, processes = 3) => {
    const shared = { url: redis.url, name };
    const limitsOf = Array.from({ length: processes }, () => RateLimit.shared(limits, shared));
    const all = await Promise.all(limitsOf);
    opened.push(...all);
    return all;
  };

  test.each([
    { rate: 300, burst: 30, batchRows: 1 },
    { rate: 1_000, burst: 10, batchRows: 50 },
  ])("is not exceeded by more than one burst by three processes together: %o", async (limits) => {
    const processes = await open("three", limits);
    const total = 600;
    expect(await take(processes, total, limits.batchRows)).toBeGreaterThanOrEqual(
      leastMs(total, limits),
    );
  });

  test("nothing is sent while Redis is away, and everything afterwards", async () => {
    const processes = await open("away", { rate: 1_000, burst: 10, batchRows: 1 });
    await take(processes, 9);
    await redis.stop();
    let isSent = false;
    const sent = take(processes, 30).then(() => {
      isSent = true;
    });
    // Given up after a second.
    await expect(redis.client.ping()).rejects.toThrow();
    expect(isSent).toBe(false);
    await redis.start();
    await sent;
  });

  test("a process gets its share after Redis has lost everything, and after others have died", async () => {
    const processes = await open("lost", { rate: 1_000, burst: 100, batchRows: 1 });
    await take(processes, 300);
    await redis.client.flushall();
    const [first, ...others] = processes as [RateLimit, ...RateLimit[]];
    void take(others, 200);
    for (const other of others) other.close();
    await take([first], 300);
  });

  test("a process whose clock is behind gets its share", async () => {
    const [first, second] = await open("clock", { rate: 1_000, burst: 10, batchRows: 1 }, 2);
    if (first === undefined || second === undefined) throw new Error("two processes");
    await take([first], 30);
    const { now } = Date;
    // As if its machine were an hour behind the one that has used up the burst.
    vi.spyOn(Date, "now").mockImplementation(() => now() - 3_600_000);
    await take([second], 30);
  });
});
