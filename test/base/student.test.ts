import { expect, it } from "vitest";
import { studentQuantile } from "../../src/base/student.js";

it.each([
  [1, 12.706],
  [2, 4.303],
  [4, 2.776],
  [5, 2.571],
  [7, 2.365],
  [10, 2.228],
  [30, 2.042],
  [120, 1.98],
  [1e6, 1.96],
])("gives the tabled quantile for %d degrees of freedom", (freedom, quantile) => {
  expect(studentQuantile(freedom)).toBeCloseTo(quantile, 2);
});

it("takes the smaller whole number where the series is not good enough, and at least one", () => {
  expect(studentQuantile(2.9)).toBe(studentQuantile(2));
  expect(studentQuantile(0.3)).toBe(studentQuantile(1));
});
