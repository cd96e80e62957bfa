import type { RetryObject } from "got";

/** Failures before a connection was there: nothing can have been received. */
const notConnectedCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Statuses that may be another one the next time. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

const FIRST_DELAY_MS = 250;
const DELAY_MS_MAX = 30_000;

export interface RetryRules {
  /** Whether a call that was received may be sent again: reads, and writes that carry `If-Match`. */
  readonly isRepeatable: boolean;
  readonly retriesMax: number;
}

/** Milliseconds until the next attempt; 0 where there is none. `random` is from 0 to 1. */
export function retryDelayMs(
  { attemptCount, error, retryAfter }: RetryObject,
  { isRepeatable, retriesMax }: RetryRules,
  random: () => number = Math.random,
): number {
  if (attemptCount > retriesMax) return 0;
  const status = error.response?.statusCode;
  // Whoever limits the rate has not done what was asked.
  const wasNotDone = status === 429 || (status === undefined && notConnectedCodes.has(error.code));
  const mayPass = status === undefined || passingStatuses.has(status);
  if (!mayPass || !(isRepeatable || wasNotDone)) return 0;
  if (retryAfter !== undefined) return retryAfter > DELAY_MS_MAX ? 0 : Math.max(retryAfter, 1);
  const ceiling = Math.min(FIRST_DELAY_MS * 2 ** (attemptCount - 1), DELAY_MS_MAX);
  return Math.max(Math.round(ceiling * random()), 1);
}
