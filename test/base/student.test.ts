import { expect, it } from "vitest";
import { studentQuantile } from "../../src/base/student.js";

it.each([
  [1, 12.706, 636.619],
  [2, 4.303, 31.599],
  [3, 3.182, 12.924],
  [4, 2.776, 8.61],
  [5, 2.571, 6.869],
  [10, 2.228, 4.587],
  [30, 2.042, 3.646],
  [120, 1.98, 3.373],
  [1e6, 1.96, 3.291],
])("gives the tabled quantiles for %d degrees of freedom", (freedom, five, tenth) => {
  expect(Math.abs(studentQuantile(freedom, 0.05) / five - 1)).toBeLessThan(0.001);
  expect(Math.abs(studentQuantile(freedom, 0.001) / tenth - 1)).toBeLessThan(0.001);
});

it("takes the smaller whole number below three, and at least one", () => {
  expect(studentQuantile(2.9, 0.05)).toBe(studentQuantile(2, 0.05));
  expect(studentQuantile(0.3, 0.05)).toBe(studentQuantile(1, 0.05));
});
