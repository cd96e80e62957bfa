/** Two-sided 95 % quantiles of Student's t for 1 to 4 degrees of freedom; the series below needs more. */
const SMALL = [12.7062, 4.30265, 3.18245, 2.77645] as const;
const NORMAL = 1.959964;

/**
 * Returns the quantile of Student's t that 95 % of its values do not exceed in size. Fewer than one degree
 * of freedom count as one; between whole numbers below 5, the lower one counts. From 5 on by the
 * expansion of Abramowitz and Stegun, 26.7.5, to three digits.
 */
export function studentQuantile(freedom: number): number {
  if (freedom < SMALL.length + 1) return SMALL[Math.max(1, Math.floor(freedom)) - 1] ?? SMALL[0];
  const z = NORMAL;
  const g1 = (z ** 3 + z) / 4;
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + g1 / freedom + g2 / freedom ** 2 + g3 / freedom ** 3;
}
