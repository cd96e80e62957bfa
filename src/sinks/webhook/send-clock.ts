/** Time as a sender needs it; tests bring their own. */
export interface SendClock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Calls `work` once, later; the result calls it off. */
  after(delayMs: number, work: () => void): () => void;
}

/** Longer delays overflow Node's timers, which then fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemSendClock: SendClock = {
  now: Date.now,
  after(delayMs, work) {
    const timer = setTimeout(work, Math.min(delayMs, TIMER_MS_MAX));
    return () => clearTimeout(timer);
  },
};
