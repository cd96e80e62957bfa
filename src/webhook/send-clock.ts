/** The clock and timer of a sender; tests inject their own. */
export interface SendClock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Calls `work` once, later; the result cancels it. */
  after(delayMs: number, work: () => void): () => void;
}

/** Longer delays overflow the timers of Node, which then fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemSendClock: SendClock = {
  now: Date.now,
  after(delayMs, work) {
    const timer = setTimeout(work, Math.min(delayMs, TIMER_MS_MAX));
    return () => clearTimeout(timer);
  },
};
