/**
 * The time that a process may still act on its claims, in memory that its threads share. Two clocks end it:
 * a monotonic one, and the clock of the system, which continues while the machine is suspended.
 */
export class ClaimTime {
  readonly #ends: Float64Array;

  constructor(readonly buffer = new SharedArrayBuffer(16)) {
    this.#ends = new Float64Array(buffer);
  }

  get isOver(): boolean {
    return monotonicMs() >= (this.#ends[0] ?? 0) || Date.now() >= (this.#ends[1] ?? 0);
  }

  set leftMs(milliseconds: number) {
    this.#ends[0] = monotonicMs() + milliseconds;
    this.#ends[1] = Date.now() + milliseconds;
  }
}

/** Returns a time that is the same in all threads; `performance.now` starts with its thread. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}
