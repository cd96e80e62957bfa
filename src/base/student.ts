/**
 * Returns the quantile of Student's t that its values exceed in size with a probability of `alpha` (up to
 * 0.5). Fewer than one degree of freedom count as one, fewer than three as a whole number. To three digits;
 * from three on by G. W. Hill, "Algorithm 396: Student's t-quantiles", CACM 13 (1970).
 */
export function studentQuantile(freedom: number, alpha: number): number {
  if (freedom < 2) return 1 / Math.tan((alpha * Math.PI) / 2);
  if (freedom < 3) return Math.sqrt(2 / (alpha * (2 - alpha)) - 2);
  const n = freedom;
  const a = 1 / (n - 0.5);
  const b = 48 / a ** 2;
  let c = (((20_700 * a) / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * n;
  const y = (d * alpha) ** (2 / n);
  if (y <= 0.05 + a) {
    const inner = 1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4);
    return Math.sqrt(n * (((inner * y - 1) * (n + 1)) / (n + 2) + 1 / y));
  }
  const x = -normalQuantile(alpha / 2);
  const square = x ** 2;
  if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
  c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
  const series = ((((0.4 * square + 6.3) * square + 36) * square + 94.5) / c - square - 3) / b + 1;
  return Math.sqrt(n * Math.expm1(a * (series * x) ** 2));
}

/** Returns the size of the quantile of the normal distribution; Abramowitz and Stegun, 26.2.23. */
function normalQuantile(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail));
  const above = 2.515517 + 0.802853 * t + 0.010328 * t ** 2;
  const below = 1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3;
  return t - above / below;
}
