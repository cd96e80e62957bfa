import fc from "fast-check";
import { expect, test } from "vitest";
import { cutWindow, halfOf, missingWindows, type Window } from "../../src/fetch/windows.js";
import { propertyRuns } from "../support/property-runs.js";

const window = fc
  .tuple(fc.nat(100), fc.integer({ min: 1, max: 40 }))
  .map(([start, length]): Window => ({ start, end: start + length }));

function unitsOf(windows: readonly Window[]): readonly number[] {
  return windows.flatMap(({ start, end }) =>
    Array.from({ length: end - start }, (_, index) => start + index),
  );
}

test("missing windows have each unit that no known one has, once and in order", () => {
  fc.assert(
    fc.property(
      window,
      fc.array(window),
      fc.integer({ min: 1, max: 9 }),
      (span, known, longest) => {
        const missing = missingWindows(span, known, longest);
        const covered = new Set(unitsOf(known));
        expect(unitsOf(missing)).toEqual(unitsOf([span]).filter((unit) => !covered.has(unit)));
        for (const { start, end } of missing) {
          expect(end).toBeGreaterThan(start);
          expect(Math.floor(start / longest)).toBe(Math.floor((end - 1) / longest));
        }
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});

test("a window is cut at its length, and half of one is half its units, at least one", () => {
  fc.assert(
    fc.property(window, fc.integer({ min: 1, max: 50 }), (whole, longest) => {
      const [first, rest] = cutWindow(whole, longest);
      const parts = rest === undefined ? [first] : [first, rest];
      expect(unitsOf(parts)).toEqual(unitsOf([whole]));
      expect(first.end - first.start).toBe(Math.min(longest, whole.end - whole.start));
    }),
    { numRuns: propertyRuns(500) },
  );
  const hours = (count: number) => halfOf({ start: 0, end: count * 60 }, 60) / 60;
  expect([2, 3, 4, 5, 24].map(hours)).toEqual([1, 2, 2, 3, 12]);
});
