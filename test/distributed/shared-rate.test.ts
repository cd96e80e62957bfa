import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SharedRate } from "../../src/distributed/shared-rate.js";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.js";
import { scratchDirectory } from "../support/scratch.js";

let redis: RedisServer;
const scratch = scratchDirectory("shared-rate");

describe.skipIf(!hasRedis())("a shared rate", () => {
  beforeAll(async () => {
    redis = await startRedis(join(scratch, "redis"));
  });
  afterAll(async () => {
    redis.client.disconnect();
    await redis.stop();
  });

  const open = (name: string, rate: number, burst: number) =>
    Array.from({ length: 3 }, () => new SharedRate({ url: redis.url, name, rate, burst }));

  /** Takes `events` at a time, side by side, until all processes have taken `total`. */
  async function take(rates: readonly SharedRate[], total: number, events = 1): Promise<number> {
    const startedMs = performance.now();
    const each = total / events / rates.length;
    await Promise.all(
      rates.flatMap((rate) => Array.from({ length: each }, () => rate.take(events))),
    );
    return performance.now() - startedMs;
  }

  test("three processes together do not send more than the rate and one burst", async () => {
    const rates = open("three", 300, 30);
    expect(await take(rates, 300)).toBeGreaterThanOrEqual(((300 - 30) / 300) * 1_000 - 5);
    for (const rate of rates) rate.close();
  });

  test("requests of more events than the burst are paid for afterwards", async () => {
    const rates = open("large", 1_000, 10);
    // The last request is sent before it is paid for.
    expect(await take(rates, 600, 50)).toBeGreaterThanOrEqual(600 - 50 - 5);
    for (const rate of rates) rate.close();
  });

  test("nothing is sent while Redis is away, and everything afterwards", async () => {
    const rates = open("away", 1_000, 10);
    await take(rates, 9);
    await redis.stop();
    let isSent = false;
    const sent = take(rates, 30).then(() => {
      isSent = true;
    });
    // Given up after a second.
    await expect(redis.client.ping()).rejects.toThrow();
    expect(isSent).toBe(false);
    await redis.start();
    await sent;
    for (const rate of rates) rate.close();
  });
});
