import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CONSOLE_CALLS_MAX } from "../../src/base/limits.js";
import { WriteLimit } from "../../src/console/write-limit.js";
import { loadTarget } from "../../src/target/targets.js";

const windows = loadTarget("statsig").console?.writes ?? [];
const open = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("no window of the target has more writes than it takes, wherever it begins", async () => {
  const limit = new WriteLimit(windows);
  const writes = 2_000;
  const startMs = Date.now();
  const times: number[] = [];
  // As many calls at a time as `qualify` makes.
  const caller = async () => {
    for (let call = 0; call < writes / CONSOLE_CALLS_MAX; call++) {
      await limit.take(open);
      times.push(Date.now() - startMs);
    }
  };
  const all = Array.from({ length: CONSOLE_CALLS_MAX }, caller);
  for (let minute = 0; minute < 60 && times.length < writes; minute++)
    await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(all);
  for (const { requests, seconds } of windows) {
    const most = times.map(
      (from) => times.filter((time) => time >= from && time < from + seconds * 1_000).length,
    );
    expect(Math.max(...most)).toBeLessThanOrEqual(requests);
  }
  const lastMs = times.at(-1) ?? 0;
  // The shortest time that the windows allow is 1,100 writes after the first 900, at one a second.
  expect(lastMs).toBeGreaterThan(1_100_000);
  expect(lastMs / limit.durationMs(writes)).toBeCloseTo(1, 1);
});

test("waiting ends with the signal", async () => {
  vi.useRealTimers();
  const limit = new WriteLimit([{ requests: 1, seconds: 3_600 }]);
  await limit.take(open);
  const controller = new AbortController();
  const waiting = limit.take(controller.signal);
  const reason = new Error("stop");
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(limit.take(controller.signal)).rejects.toBe(reason);
});
