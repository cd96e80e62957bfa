import { StoreError } from "./store-error.js";
import { waitForStore } from "./store-usage.js";

/** Longer than a store takes to restart, or to let a client in again that it has slowed down. */
export const GIVE_UP_MS = 120_000;

const FIRST_DELAY_MS = 100;
const DELAY_MS_MAX = 10_000;

/**
 * Calls `call` until it succeeds, with random and growing pauses after transient errors. Each call gets
 * a function that says that it made progress: then the pauses and the time limit begin again. Throws the
 * last error once there was no progress for `giveUpAfterMs`, and other errors at once.
 */
export async function retryCall<Result>(
  { signal, giveUpAfterMs }: { readonly signal: AbortSignal; readonly giveUpAfterMs: number },
  call: (progressed: () => void) => Promise<Result>,
): Promise<Result> {
  let failures = 0;
  let since = performance.now();
  const progressed = () => {
    failures = 0;
    since = performance.now();
  };
  for (;;) {
    try {
      return await call(progressed);
    } catch (error) {
      signal.throwIfAborted();
      const isLate = performance.now() - since > giveUpAfterMs;
      if (!(error instanceof StoreError && error.isTransient) || isLate) throw error;
      const ceiling = Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** failures++);
      await waitForStore(error.message, ceiling * Math.random(), signal);
    }
  }
}
