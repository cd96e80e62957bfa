/** A source of time; tests replace it. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never decreases. */
  now(): number;
  /** Calls `work` periodically until the returned function is called. Does not keep the process alive. */
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
