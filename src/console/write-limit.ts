import Bottleneck from "bottleneck";

/** The most writes that a console takes in a time. */
interface WriteWindow {
  readonly requests: number;
  readonly seconds: number;
}

/** The part of the longest window's writes that can be made at once. */
const BURST_SHARE = 1 / 9;

/** The reservoir grows at about this interval; bottleneck needs a multiple of STEP_MS. */
const GROWTH_MS = 5_000;
const STEP_MS = 250;

/**
 * Decides when a console may be written to, so that no window has more writes than it takes, wherever it
 * begins. The distance of two writes keeps the shorter windows. A reservoir that grows evenly keeps the
 * longest one: what it holds at first and what it gets in the window are together its writes.
 */
export class WriteLimit {
  readonly #limiter: Bottleneck;
  readonly #distanceMs: number;
  readonly #burst: number;
  /** Milliseconds for one write beyond the burst. */
  readonly #writeMs: number;

  constructor(windows: readonly WriteWindow[]) {
    const sorted = [...windows].sort((one, other) => one.seconds - other.seconds);
    const longest = sorted.pop();
    if (longest === undefined) throw new Error("a limit needs a window");
    const { burst, amount, intervalMs } = reservoirOf(longest);
    // Timers are not exact: a window has one write less than it could have.
    const distances = sorted.map(
      ({ requests, seconds }) => (seconds * 1_000) / Math.max(1, requests - 1),
    );
    this.#burst = burst;
    this.#writeMs = intervalMs / amount;
    this.#distanceMs = Math.ceil(Math.max(0, ...distances));
    this.#limiter = new Bottleneck({
      minTime: this.#distanceMs,
      reservoir: burst,
      reservoirIncreaseAmount: amount,
      reservoirIncreaseInterval: intervalMs,
      reservoirIncreaseMaximum: burst,
    });
  }

  /** Resolves when the next write may begin; rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    // The limiter's own timer does not keep the process alive.
    const alive = setInterval(() => undefined, GROWTH_MS);
    let stop = () => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener("abort", stop, { once: true });
    });
    try {
      await Promise.race([this.#limiter.schedule(async () => undefined), stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
      clearInterval(alive);
    }
  }

  /** Returns the milliseconds that this number of writes takes at least. */
  durationMs(writes: number): number {
    const beyond = Math.max(0, writes - this.#burst);
    return Math.max(Math.max(0, writes - 1) * this.#distanceMs, beyond * this.#writeMs);
  }
}

function reservoirOf({ requests, seconds }: WriteWindow) {
  const burst = Math.max(1, Math.floor(requests * BURST_SHARE));
  const amount = Math.max(1, Math.floor((requests * GROWTH_MS) / (seconds * 1_000)));
  // A window can see one step more than it has time for.
  const steps = Math.max(1, (requests - burst - amount) / amount);
  const intervalMs = Math.ceil((seconds * 1_000) / steps / STEP_MS) * STEP_MS;
  return { burst, amount, intervalMs };
}
