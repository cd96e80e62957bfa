/** Pauses between attempts, in milliseconds. */
export interface BackOff {
  /** The longest pause after the first failure; it doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The pauses of requests to services over HTTP. */
export const serviceBackOff: BackOff = { firstMs: 250, maxMs: 30_000 };

/** The pauses of requests to object stores. */
export const storeBackOff: BackOff = { firstMs: 100, maxMs: 10_000 };

/**
 * Returns the milliseconds before the next attempt: a random part of a ceiling, so that callers that failed
 * together do not try again together. `failures`: attempts that failed, at least 1. `random` is from 0 to 1.
 */
export function backOffMs(
  failures: number,
  { firstMs, maxMs }: BackOff,
  random: () => number = Math.random,
): number {
  return Math.ceil(Math.min(firstMs * 2 ** (failures - 1), maxMs) * random());
}
