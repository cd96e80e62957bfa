import fc from "fast-check";
import { expect, test } from "vitest";
import { halvesOf, missingWindows, type Window } from "../../src/fetch/windows.js";
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

test("halves have a unit at least, and are as long as each other or one unit apart", () => {
  fc.assert(
    fc.property(fc.nat(50), fc.integer({ min: 2, max: 40 }), (start, units) => {
      const [first, second] = halvesOf({ start: start * 7, end: (start + units) * 7 }, 7);
      const lengths = [first.end - first.start, second.end - second.start];
      expect([first.start, second.start, second.end]).toEqual([
        start * 7,
        first.end,
        (start + units) * 7,
      ]);
      expect(Math.min(...lengths)).toBeGreaterThanOrEqual(7);
      expect(Math.abs((lengths[0] ?? 0) - (lengths[1] ?? 0))).toBeLessThanOrEqual(7);
    }),
    { numRuns: propertyRuns(500) },
  );
});
