import { countLeft } from "./left-to-ci.js";

/** Tests run at length in CI, where nobody waits for them, and briefly elsewhere. */
export const isCi = process.env["CI"] !== undefined;

/** Returns all cases in CI, and elsewhere the first of each `step`, or those of each `step` at an offset. */
export function someOf<T>(cases: readonly T[], step: number, offset = 0): readonly T[] {
  if (isCi) return cases;
  const some = cases.filter((_, index) => index % step === offset % step);
  countLeft("cases", cases.length - some.length);
  return some;
}

/**
 * Returns how many runs a property has: a third of `count` in CI, which has half an hour, a tenth elsewhere, and
 * SWITCHYARD_PROPERTY_FACTOR times `count` if that is set.
 */
export function propertyRuns(count: number): number {
  const factor = Number(process.env["SWITCHYARD_PROPERTY_FACTOR"] ?? (isCi ? 0.35 : 0.1));
  if (!(factor > 0)) throw new Error("SWITCHYARD_PROPERTY_FACTOR is not a number above 0");
  return Math.ceil(count * factor);
}
