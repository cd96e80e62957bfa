import { chiSquarePValue } from "./chi-square.js";

/** Both ends belong to the interval. */
interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** Units that did something, of all that could. `total` is at least 1. */
export interface Proportion {
  readonly count: number;
  readonly total: number;
}

/** The 97.5 % point of the standard normal distribution, for intervals of 95 %. */
const Z_95 = 1.959963984540054;

export function rateOf({ count, total }: Proportion): number {
  return count / total;
}

/**
 * Returns the 95 % score interval of a proportion, without continuity correction.
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
 * American Statistical Association 22 (1927), 209–212.
 */
export function wilsonInterval({ count, total }: Proportion): Interval {
  const square = Z_95 ** 2;
  const denominator = total + square;
  const center = (count + square / 2) / denominator;
  const half = (Z_95 / denominator) * Math.sqrt((count * (total - count)) / total + square / 4);
  // Exact at the ends, where rounding leaves some 1e-17.
  return {
    lower: count === 0 ? 0 : center - half,
    upper: count === total ? 1 : center + half,
  };
}

/**
 * Returns the 95 % hybrid score interval of `test` minus `control`.
 * R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of
 * eleven methods", Statistics in Medicine 17 (1998), 873–890, method 10.
 */
export function newcombeInterval(test: Proportion, control: Proportion): Interval {
  const [testRate, controlRate] = [rateOf(test), rateOf(control)];
  const [testEnds, controlEnds] = [wilsonInterval(test), wilsonInterval(control)];
  const difference = testRate - controlRate;
  return {
    lower: difference - Math.hypot(testRate - testEnds.lower, controlEnds.upper - controlRate),
    upper: difference + Math.hypot(testEnds.upper - testRate, controlRate - controlEnds.lower),
  };
}

/**
 * Returns the two-sided p-value of the z-test of two proportions with a pooled variance, without continuity
 * correction; undefined if nobody or everybody converted, because then the variance is 0.
 * J. L. Fleiss, B. Levin, M. C. Paik, "Statistical Methods for Rates and Proportions", 3rd ed. (2003), 3.1.
 */
export function differencePValue(test: Proportion, control: Proportion): number | undefined {
  const pooled = (test.count + control.count) / (test.total + control.total);
  const variance = pooled * (1 - pooled) * (1 / test.total + 1 / control.total);
  if (variance === 0) return undefined;
  // The square of a standard normal value has a chi-square distribution with one degree of freedom.
  return chiSquarePValue((rateOf(test) - rateOf(control)) ** 2 / variance, 1);
}
