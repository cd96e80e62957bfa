/** Time as an outside effect: tests bring their own. */
export interface Clock {
  /** Milliseconds from any beginning, never running backwards. */
  now(): number;
  /** Calls `work` again and again until the returned function is called; keeps no process alive. */
  repeat(intervalMs: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  repeat(intervalMs, work) {
    const timer = setInterval(work, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  },
};
