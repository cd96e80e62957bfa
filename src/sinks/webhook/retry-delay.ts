import { RETRY_DELAY_MS, RETRY_DELAY_MS_MAX } from "../../base/limits.js";

/**
 * Milliseconds before the next attempt: anything up to a ceiling that doubles with each failure, so
 * that senders which failed together do not come back together. `random` is from 0 to 1.
 */
export function retryDelayMs(failures: number, random: () => number): number {
  const ceiling = Math.min(RETRY_DELAY_MS * 2 ** (failures - 1), RETRY_DELAY_MS_MAX);
  return Math.ceil(ceiling * random());
}
