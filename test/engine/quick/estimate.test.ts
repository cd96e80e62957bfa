import { expect, it } from "vitest";
import { DensityTally, figureOf } from "../../../src/engine/quick/estimate.js";

const size = { total: 1_000, draws: 4, units: 4, slack: 0 };

function tallyOf(...densities: readonly (number | undefined)[]): DensityTally {
  const tally = new DensityTally();
  for (const [index, density] of densities.entries())
    if (density !== undefined) tally.add(index, 1, density);
  return tally;
}

it("estimates from the mean density, with the variance of successive differences", () => {
  const part = tallyOf(1, 3, 2, 2).part(size);
  expect(part.count).toBe(2_000);
  // 1000² / 4 · (4 + 1 + 0) / (2 · 3)
  expect(part.variance).toBeCloseTo((1_000_000 / 4) * (5 / 6));
  expect(part.freedom).toBe(2);
  expect(figureOf(7, [part], 0.05)).toEqual({ count: 2_007, error: Math.ceil(4.30265 * 456.435) });
});

it("takes units that are left out for units without such rows", () => {
  for (const sparse of [tallyOf(undefined, 3, undefined, 2), tallyOf(undefined, undefined, 1)]) {
    expect(sparse.part(size).variance).toBeGreaterThan(0);
  }
  const full = tallyOf(0, 3, 0, 0).part(size);
  expect(tallyOf(undefined, 3).part(size)).toMatchObject({
    count: full.count,
    variance: full.variance,
  });
});

it("is exact for rows that were all read, and for densities that do not differ", () => {
  expect(figureOf(12, [], 0.05)).toEqual({ count: 12, error: 0 });
  expect(figureOf(12, [tallyOf(1, 1, 1, 1).part(size)], 0.05)).toEqual({ count: 1_012, error: 0 });
});

it("knows no error from one unit, however often it was drawn", () => {
  const tally = new DensityTally();
  tally.add(0, 4, 2);
  const part = tally.part({ ...size, units: 1 });
  expect(figureOf(0, [part], 0.05)).toEqual({ count: 2_000, error: null });
});

it("adds what is not known of the sizes of units", () => {
  const part = tallyOf(1, 1, 1, 1).part({ ...size, slack: 0.01 });
  expect(figureOf(0, [part], 0.05)).toEqual({ count: 1_000, error: 10 });
});
