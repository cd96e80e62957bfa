import { describe, expect, it } from "vitest";
import { chiSquarePValue, goodnessOfFit } from "../../src/statistics/chi-square.js";
import {
  differencePValue,
  newcombeInterval,
  type Proportion,
  wilsonInterval,
} from "../../src/statistics/proportions.js";

const of = (count: number, total: number): Proportion => ({ count, total });

describe("wilsonInterval", () => {
  // R. G. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven
  // methods", Statistics in Medicine 17 (1998), 857–872, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("gives the published interval of %i of %i", (count, total, lower, upper) => {
    const interval = wilsonInterval(of(count, total));
    expect(interval.lower).toBeCloseTo(lower, 4);
    expect(interval.upper).toBeCloseTo(upper, 4);
  });

  it("ends at 0 and 1 exactly where nobody or everybody converted", () => {
    expect(wilsonInterval(of(0, 7)).lower).toBe(0);
    expect(wilsonInterval(of(7, 7)).upper).toBe(1);
  });
});

describe("newcombeInterval", () => {
  // R. G. Newcombe, Statistics in Medicine 17 (1998), 873–890, table II, method 10.
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [0, 10, 0, 10, -0.2775, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
    [10, 10, 0, 10, 0.6075, 1],
  ])("gives the published interval of %i/%i − %i/%i", (a, m, b, n, lower, upper) => {
    const interval = newcombeInterval(of(a, m), of(b, n));
    expect(interval.lower).toBeCloseTo(lower, 4);
    expect(interval.upper).toBeCloseTo(upper, 4);
  });
});

describe("chiSquarePValue", () => {
  // Abramowitz and Stegun, table 26.8: percentage points of the chi-square distribution.
  it.each([
    [3.84146, 1, 0.05],
    [10.828, 1, 0.001],
    [0.0157908, 1, 0.9],
    [5.99147, 2, 0.05],
    [13.816, 2, 0.001],
    [7.81473, 3, 0.05],
    [11.3449, 3, 0.01],
    [18.307, 10, 0.05],
    [3.9403, 10, 0.95],
    [124.342, 100, 0.05],
  ])("of %d with %i degrees of freedom is %d", (value, degrees, probability) => {
    expect(chiSquarePValue(value, degrees)).toBeCloseTo(probability, 4);
  });

  it("is 1 without a difference, and keeps its digits far out", () => {
    expect(chiSquarePValue(0, 1)).toBe(1);
    // Two degrees of freedom: e^(-x/2).
    expect(chiSquarePValue(200, 2) / Math.exp(-100)).toBeCloseTo(1, 12);
    expect(chiSquarePValue(2, 2)).toBeCloseTo(Math.exp(-1), 14);
  });
});

describe("differencePValue", () => {
  it("is the tail of the normal distribution beyond z on both sides", () => {
    // 52 of 400 and 36 of 400: pooled 0.11, z = 0.04 / √(0.11 · 0.89 · 2/400) = 1.808, p = 0.0706.
    expect(differencePValue(of(52, 400), of(36, 400))).toBeCloseTo(0.0706, 4);
    expect(differencePValue(of(30, 100), of(30, 100))).toBe(1);
  });

  it("has none where nobody or everybody converted", () => {
    expect(differencePValue(of(0, 9), of(0, 8))).toBeUndefined();
    expect(differencePValue(of(9, 9), of(8, 8))).toBeUndefined();
  });
});

describe("goodnessOfFit", () => {
  it("finds the published mismatch", () => {
    // R. Kohavi, D. Tang, Y. Xu, "Trustworthy Online Controlled Experiments" (2020), chapter 21: 821,588
    // users in control and 815,482 in treatment have p = 1.8E-6.
    const fit = goodnessOfFit([
      { units: 821_588, share: 50 },
      { units: 815_482, share: 50 },
    ]);
    expect(fit?.pValue.toExponential(1)).toBe("1.8e-6");
    expect(fit?.degreesOfFreedom).toBe(1);
  });

  it("gives no figure with fewer than 5 expected units, or one group", () => {
    expect(
      goodnessOfFit([
        { units: 4, share: 1 },
        { units: 5, share: 1 },
      ]),
    ).toBeUndefined();
    expect(
      goodnessOfFit([
        { units: 0, share: 1 },
        { units: 0, share: 1 },
      ]),
    ).toBeUndefined();
    expect(goodnessOfFit([{ units: 400, share: 100 }])).toBeUndefined();
  });
});
