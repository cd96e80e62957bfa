import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayOf, formatDay } from "../../src/base/day.js";
import { createZone } from "../../src/base/luxon-zone.js";
import { DayOrder } from "../../src/sinks/day-order.js";
import { propertyRuns } from "../support/property-runs.js";
import { usedKernel } from "../support/used-kernel.js";
import { utc } from "./event-rows.js";

const kernel = usedKernel();
const ROWS_MAX = 1000;
const order = new DayOrder(kernel, ROWS_MAX);
const timestamps = kernel.allocate(ROWS_MAX * 8);

/** Days and the rows of each in their order. */
function sort(times: readonly number[]): [number, number[]][] {
  kernel.doubles.set(times, timestamps / 8);
  return order
    .sort(timestamps, times.length, utc)
    .map(({ day, start, end }) => [
      day,
      [...kernel.u32.subarray(order.address / 4 + start, order.address / 4 + end)],
    ]);
}

function expected(times: readonly number[]): [number, number[]][] {
  const days = new Map<number, number[]>();
  for (const [row, time] of times.entries()) {
    const day = Math.floor(time / 86_400_000);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days].sort(([a], [b]) => a - b);
}

describe("the order of days", () => {
  test.each([1, 3, 2_000, 2_049, 400_000, 3_652_000])(
    "puts rows within %d days by day and keeps their order within one",
    (span) => {
      const time = fc.integer({ min: 0, max: span * 86_400_000 - 1 });
      const start = fc.integer({ min: -719_000, max: 0 });
      fc.assert(
        fc.property(fc.array(time, { minLength: 1, maxLength: ROWS_MAX }), start, (times, day) => {
          const moved = times.map((ms) => ms + day * 86_400_000);
          expect(sort(moved)).toEqual(expected(moved));
        }),
        { numRuns: propertyRuns(50) },
      );
    },
  );
});

describe("the day of a time", () => {
  test.each([
    [0, "1970-01-01"],
    [-1, "1969-12-31"],
    [-86_400_000, "1969-12-31"],
    [-86_400_001, "1969-12-30"],
    [Date.UTC(2024, 1, 29, 23, 59, 59, 999), "2024-02-29"],
    [253_402_300_799_999, "9999-12-31"],
    [-62_167_219_200_000, "0000-01-01"],
  ])("%d is in %s", (time, day) => {
    expect(formatDay(dayOf(time, utc))).toBe(day);
  });

  test("is the local day of the zone, daylight saving included", () => {
    const zone = createZone("America/New_York");
    const days = [
      Date.UTC(2026, 2, 8, 4, 59),
      Date.UTC(2026, 2, 8, 5, 0),
      Date.UTC(2026, 2, 9, 3, 59),
      Date.UTC(2026, 2, 9, 4, 0),
    ].map((time) => formatDay(dayOf(time, zone)));
    expect(days).toEqual(["2026-03-07", "2026-03-08", "2026-03-08", "2026-03-09"]);
  });

  test("outside the years 0 to 9999 is a bug", () => {
    expect(() => formatDay(dayOf(253_402_300_800_000, utc))).toThrow("outside the years");
    expect(() => formatDay(dayOf(-62_167_219_200_001, utc))).toThrow("outside the years");
  });
});
