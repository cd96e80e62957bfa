import { hash } from "node:crypto";

/** 2^32 modulo 10,000 and modulo 1,000. */
const HIGH_OF_PERCENT = 7_296;
const HIGH_OF_BUCKET = 296;

/** Steps of a percentage: 0.01 %. */
const PERCENT_STEPS = 10_000;
/** Steps of groups and allocations: 0.1 %. */
export const BUCKETS = 1_000;

/**
 * Returns true for `percentage` % of the units. The first 8 bytes of the SHA-256 are a big-endian number;
 * its remainder decides, as in the platform's SDKs (node-js-server-sdk, `Evaluator.ts`).
 */
export function isWithin(
  percentage: number,
  salt: string,
  ruleSalt: string,
  unit: string,
): boolean {
  if (percentage === 0 || percentage === 100) return percentage === 100;
  return stepOf(salt, ruleSalt, unit) < limitOf(percentage);
}

/** Returns the number, 0 to 9,999, that decides if a percentage has a unit: it must be below the limit. */
export function stepOf(salt: string, ruleSalt: string, unit: string): number {
  const digest = hash("sha256", `${salt}.${ruleSalt}.${unit}`, "buffer");
  const high = digest.readUInt32BE(0) % PERCENT_STEPS;
  return (high * HIGH_OF_PERCENT + digest.readUInt32BE(4)) % PERCENT_STEPS;
}

/** Returns the limit of a percentage. */
export function limitOf(percentage: number): number {
  return percentage * 100;
}

/** Returns the bucket of a unit, 0 to 999. */
export function bucketOf(salt: string, unit: string): number {
  const digest = hash("sha256", `${salt}.${unit}`, "buffer");
  const high = digest.readUInt32BE(0) % BUCKETS;
  return (high * HIGH_OF_BUCKET + digest.readUInt32BE(4)) % BUCKETS;
}
