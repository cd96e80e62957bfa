const TICK_MS = 1_000;
/** A later tick means that the process was stopped, or the machine slept. */
const LATE_MS_MIN = 3_000;

interface RunningClockOptions {
  now(): number;
  /** Calls `tick` in intervals. */
  every(tick: () => void, intervalMs: number): unknown;
}

/** A clock that stands still while the process is stopped: a signal, a debugger, the lid of a laptop. */
export class RunningClock {
  #tickedMs: number;
  #lostMs = 0;

  constructor(private readonly options: RunningClockOptions) {
    this.#tickedMs = options.now();
    options.every(() => this.#tick(), TICK_MS);
  }

  /** Milliseconds since any moment. */
  get ms(): number {
    return this.#tick() - this.#lostMs;
  }

  #tick(): number {
    const nowMs = this.options.now();
    const passedMs = nowMs - this.#tickedMs;
    if (passedMs > LATE_MS_MIN) this.#lostMs += passedMs - TICK_MS;
    this.#tickedMs = nowMs;
    return nowMs;
  }
}

let clock: RunningClock | undefined;

/** Returns the time of the running clock of this thread. */
export function runningMs(): number {
  clock ??= new RunningClock({
    now: () => performance.now(),
    every: (tick, intervalMs) => setInterval(tick, intervalMs).unref(),
  });
  return clock.ms;
}
