import { afterEach, expect, it, vi } from "vitest";
import { OldEvents } from "../../src/service/old-events.js";

afterEach(() => {
  vi.useRealTimers();
});

it("removes old days at the start and each hour, by the day of the clock", async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 3, 10, 23, 30) });
  const asked: string[] = [];
  const removed: unknown[] = [];
  const old = new OldEvents({
    events: {
      removeBefore: async (day) => {
        asked.push(day);
        return asked.length === 1 ? 5 : 0;
      },
    },
    keptDays: 90,
    now: Date.now,
    onRemoved: (events, before) => removed.push([events, before]),
    onFailed: (error) => removed.push(error),
  });
  old.begin();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(asked).toEqual(["2026-01-10", "2026-01-11"]);
  expect(removed).toEqual([[5, "2026-01-10"]]);
  await old.close();
  await vi.advanceTimersByTimeAsync(7_200_000);
  expect(asked).toHaveLength(2);
});

it("reports errors, except those of a store that closes, and tries again", async () => {
  vi.useFakeTimers();
  let stop = (_: Error) => {};
  const failure = new Error("full");
  const failed: unknown[] = [];
  let count = 0;
  const old = new OldEvents({
    events: {
      removeBefore: () => {
        count += 1;
        if (count === 1) return Promise.reject(failure);
        return new Promise((_, reject) => {
          stop = reject;
        });
      },
    },
    keptDays: 1,
    now: Date.now,
    onRemoved: () => {},
    onFailed: (error) => failed.push(error),
  });
  old.begin();
  // The second look has not ended at the third hour.
  await vi.advanceTimersByTimeAsync(3 * 3_600_000);
  expect([count, failed]).toEqual([2, [failure]]);
  await old.close();
  stop(new Error("stopping"));
  await vi.advanceTimersByTimeAsync(1);
  expect(failed).toEqual([failure]);
});
