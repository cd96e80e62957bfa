/**
 * Memory shared by the threads of a process: how long it may act on its claims without renewing them.
 * It ends by two clocks: one that nobody sets, and one that goes on while the machine is suspended.
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

/** Returns a time that all threads share; `performance.now` begins with its thread. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}
