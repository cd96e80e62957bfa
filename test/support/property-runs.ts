/**
 * Runs of a property that compares a fast path with a slow one: `short` where tests are run as always,
 * SWITCHYARD_PROPERTY_FACTOR times as many for a long run by hand.
 */
export function propertyRuns(short: number): number {
  const factor = Number(process.env["SWITCHYARD_PROPERTY_FACTOR"] ?? 1);
  if (!(factor > 0)) throw new Error("SWITCHYARD_PROPERTY_FACTOR is a number above 0");
  return Math.ceil(short * factor);
}
