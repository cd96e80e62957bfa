import { expect, test } from "vitest";
import { RateLimiter } from "../../src/webhook/rate-limiter.js";
import { JumpingClock } from "../support/jumping-clock.js";

test("events are sent at the rate, after a burst that is sent at once", async () => {
  const clock = new JumpingClock();
  const limiter = new RateLimiter(clock, { rate: 10, burst: 5 });
  const startMs = clock.now();
  const times: number[] = [];
  for (let event = 0; event < 10; event++) {
    await limiter.admit(1);
    times.push(clock.now() - startMs);
  }
  expect(times).toEqual([0, 0, 0, 0, 0, 100, 200, 300, 400, 500]);
});

test("a batch larger than the burst is sent when the bucket is full, and delays later ones", async () => {
  const clock = new JumpingClock();
  const limiter = new RateLimiter(clock, { rate: 100, burst: 10 });
  const startMs = clock.now();
  await limiter.admit(200);
  expect(clock.now() - startMs).toBe(0);
  await limiter.admit(1);
  expect(clock.now() - startMs).toBe(1910);
});

test("a pause stops all requests, and a shorter one does not end a longer one", async () => {
  const clock = new JumpingClock();
  const limiter = new RateLimiter(clock, {});
  const startMs = clock.now();
  expect(limiter.admit(1)).toBeUndefined();
  limiter.pause(5_000);
  limiter.pause(1_000);
  await Promise.all([limiter.admit(1), limiter.admit(1)]);
  expect(clock.now() - startMs).toBe(5_000);
});

test("release admits all waiting requests", async () => {
  const limiter = new RateLimiter({ now: () => 0, after: () => () => undefined }, {});
  limiter.pause(1e9);
  const waiting = limiter.admit(1);
  limiter.release();
  await waiting;
  expect(limiter.admit(1)).toBeUndefined();
});
