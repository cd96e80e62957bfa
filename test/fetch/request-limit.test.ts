import { expect, test } from "vitest";
import { RequestLimit } from "../../src/fetch/request-limit.js";
import { VirtualClock } from "./virtual-clock.js";

const START = Date.parse("2026-01-01T00:00:00Z");
const limits = [
  { requests: 5, ms: 60_000 },
  { requests: 2, ms: 1_000 },
];

function requireKept(times: readonly number[]): void {
  for (const { requests, ms } of limits) {
    for (const [index, time] of times.entries()) {
      const first = times[index - requests];
      if (first !== undefined) expect(time - first).toBeGreaterThan(ms);
    }
  }
}

test("no time has more requests than the vendor takes, also over processes", async () => {
  const clock = new VirtualClock(START);
  const made: number[] = [];
  let remembered: readonly number[] = [];
  for (const count of [3, 1, 7, 12]) {
    const remember = async (times: readonly number[]) => {
      remembered = times;
    };
    const limit = new RequestLimit(limits, clock, { times: remembered, remember });
    const { signal } = new AbortController();
    const all = Array.from({ length: count }, async () => {
      await limit.take(signal);
      made.push(clock.now());
    });
    await clock.run(Promise.all(all));
  }
  expect(made).toHaveLength(23);
  requireKept(made);
  expect(clock.now() - START).toBeLessThan(5 * 60_000);
});

test("times after now, from a clock that was set back, do not stop it for longer than the limit", async () => {
  const clock = new VirtualClock(START);
  const times = Array.from({ length: 5 }, () => START + 86_400_000);
  const limit = new RequestLimit(limits, clock, { times, remember: async () => undefined });
  await clock.run(limit.take(new AbortController().signal));
  expect(clock.now() - START).toBeLessThanOrEqual(60_001);
});

test("waiting ends with the signal, and the next one has its turn", async () => {
  const clock = new VirtualClock(START);
  const times = Array.from({ length: 5 }, () => START);
  const limit = new RequestLimit(limits, clock, { times, remember: async () => undefined });
  const controller = new AbortController();
  const stopped = limit.take(controller.signal);
  const next = limit.take(new AbortController().signal);
  controller.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  await clock.run(next);
  expect(clock.now() - START).toBeGreaterThan(59_000);
});
