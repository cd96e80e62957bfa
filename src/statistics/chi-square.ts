/** A p-value below it says that the groups do not have the units that their sizes promise. */
export const SAMPLE_RATIO_P_VALUE_MIN = 0.001;

/** Units that each group must be expected to have: with fewer, the distribution is not chi-square. */
const EXPECTED_UNITS_MIN = 5;

const TERMS_MAX = 10_000;
const PRECISION = 1e-15;

/** A group with its units and its share of them, in any measure. */
interface SharedUnits {
  readonly units: number;
  readonly share: number;
}

interface GoodnessOfFit {
  readonly chiSquare: number;
  readonly degreesOfFreedom: number;
  readonly pValue: number;
  /** The expected units of each group. */
  readonly expected: readonly number[];
}

/**
 * Compares the units of groups with their shares: Pearson's chi-square test of goodness of fit, as sample
 * ratio mismatches are found in A. Fabijan et al., "Diagnosing sample ratio mismatch in online controlled
 * experiments", KDD 2019. Returns undefined with fewer than two groups, or if one is expected to have fewer
 * than 5 units (W. G. Cochran, "Some methods for strengthening the common χ² tests", Biometrics 10 (1954)).
 */
export function goodnessOfFit(groups: readonly SharedUnits[]): GoodnessOfFit | undefined {
  const units = groups.reduce((sum, group) => sum + group.units, 0);
  const shares = groups.reduce((sum, group) => sum + group.share, 0);
  const expected = groups.map(({ share }) => (units * share) / shares);
  if (groups.length < 2 || expected.some((count) => !(count >= EXPECTED_UNITS_MIN))) {
    return undefined;
  }
  const chiSquare = groups.reduce((sum, group, index) => {
    const count = expected[index] as number;
    return sum + (group.units - count) ** 2 / count;
  }, 0);
  const degreesOfFreedom = groups.length - 1;
  return {
    chiSquare,
    degreesOfFreedom,
    pValue: chiSquarePValue(chiSquare, degreesOfFreedom),
    expected,
  };
}

/**
 * Returns the probability of a chi-square value that is at least so large: the upper incomplete gamma
 * function Q(degrees/2, value/2). M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions" (1964):
 * 26.4.19, with the series 6.5.29 for small values and the continued fraction 6.5.31 for others.
 */
export function chiSquarePValue(value: number, degreesOfFreedom: number): number {
  const [a, x] = [degreesOfFreedom / 2, value / 2];
  if (x <= 0) return 1;
  // x^a e^-x / Γ(a)
  const scale = Math.exp(a * Math.log(x) - x - logGammaOfHalves(degreesOfFreedom));
  if (x >= a + 1) return scale * continuedFraction(a, x);
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < TERMS_MAX && term > sum * PRECISION; n += 1) {
    term *= x / (a + n);
    sum += term;
  }
  return Math.max(0, 1 - scale * sum);
}

/** Returns ln Γ(halves / 2): Γ(1) = 1, Γ(1/2) = √π, Γ(a + 1) = a Γ(a) (6.1.8, 6.1.15). */
function logGammaOfHalves(halves: number): number {
  const isWhole = halves % 2 === 0;
  let sum = isWhole ? 0 : Math.log(Math.PI) / 2;
  for (let a = isWhole ? 1 : 0.5; a < halves / 2; a += 1) sum += Math.log(a);
  return sum;
}

/** Evaluates 6.5.31 by Lentz's method. */
function continuedFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = Number.POSITIVE_INFINITY;
  let d = 1 / b;
  let product = d;
  for (let n = 1; n < TERMS_MAX; n += 1) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    const factor = c * d;
    product *= factor;
    if (Math.abs(factor - 1) < PRECISION) break;
  }
  return product;
}
