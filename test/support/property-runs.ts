/** Tests run at length in CI, where nobody waits for them, and briefly elsewhere. */
export const isCi = process.env["CI"] !== undefined;

/**
 * Returns how many runs a property has: `count` in CI, a quarter elsewhere, and
 * SWITCHYARD_PROPERTY_FACTOR times `count` if that is set.
 */
export function propertyRuns(count: number): number {
  const factor = Number(process.env["SWITCHYARD_PROPERTY_FACTOR"] ?? (isCi ? 1 : 0.25));
  if (!(factor > 0)) throw new Error("SWITCHYARD_PROPERTY_FACTOR is not a number above 0");
  return Math.ceil(count * factor);
}
