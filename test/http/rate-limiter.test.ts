import fc from "fast-check";
import { expect, test } from "vitest";
import { RateLimiter } from "../../src/http/rate-limiter.js";
import { callerKey } from "../support/stamp.js";

const limited = (requestsPerMinuteMax: number | null, id = "a") => ({
  ...callerKey,
  id,
  requestsPerMinuteMax,
});

test("a minute's requests may come at once, then one for each token", () => {
  const limiter = new RateLimiter();
  const key = limited(60);
  for (let count = 0; count < 60; count += 1) expect(limiter.take(key, 1_000)).toBeUndefined();
  expect(limiter.take(key, 1_000)).toBe(1);
  expect(limiter.take(key, 1_999)).toBe(1);
  expect(limiter.take(key, 2_000)).toBeUndefined();
  expect(limiter.take(key, 2_000)).toBe(1);
});

test("keys do not share, and a key without a limit has none", () => {
  const limiter = new RateLimiter();
  expect(limiter.take(limited(1), 0)).toBeUndefined();
  expect(limiter.take(limited(1), 0)).toBe(60);
  expect(limiter.take(limited(1, "b"), 0)).toBeUndefined();
  for (let count = 0; count < 10_000; count += 1)
    expect(limiter.take(limited(null), 0)).toBeUndefined();
});

test("a clock that is set back neither adds requests nor locks a key out", () => {
  const limiter = new RateLimiter();
  expect(limiter.take(limited(1), 1_000_000)).toBeUndefined();
  expect(limiter.take(limited(1), 0)).toBe(60);
  expect(limiter.take(limited(1), 60_000)).toBeUndefined();
});

test("no minute has more than two minutes' requests, and waiting as told suffices", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 300 }),
      (limit, pauses) => {
        const limiter = new RateLimiter();
        const key = limited(limit);
        let now = 0;
        const passed: number[] = [];
        for (const pause of pauses) {
          now += pause;
          const seconds = limiter.take(key, now);
          if (seconds === undefined) passed.push(now);
          else {
            now += seconds * 1_000;
            expect(limiter.take(key, now)).toBeUndefined();
            passed.push(now);
          }
        }
        for (const start of passed) {
          const inMinute = passed.filter((time) => time >= start && time < start + 60_000);
          expect(inMinute.length).toBeLessThanOrEqual(2 * limit);
        }
      },
    ),
  );
});
