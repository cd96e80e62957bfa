import { KIB } from "../base/limits.js";

/** Slowest rate at which a body may arrive, in bytes per second. */
const RECEIVED_RATE_MIN = 16 * KIB;
/** Milliseconds of waiting for bytes after which the rate is judged. */
const WINDOW_MS = 10_000;
/** Slow windows in a row after which a request is given up, and the rest requested again. */
const SLOW_WINDOWS_MAX = 2;

/** Judges the rate of a body by the bytes that arrive and the time in which they were awaited. */
export class ReadRate {
  #bytes = 0;
  #waitedMs = 0;
  #slowWindows = 0;

  /** Takes bytes that arrived after `waitedMs`. */
  take(bytes: number, waitedMs: number): "good" | "slow" | "too slow" {
    this.#bytes += bytes;
    this.#waitedMs += waitedMs;
    if (this.#waitedMs >= WINDOW_MS) {
      const isSlow = this.#bytes < (RECEIVED_RATE_MIN * this.#waitedMs) / 1000;
      this.#slowWindows = isSlow ? this.#slowWindows + 1 : 0;
      this.#bytes = 0;
      this.#waitedMs = 0;
    }
    if (this.#slowWindows === 0) return "good";
    return this.#slowWindows < SLOW_WINDOWS_MAX ? "slow" : "too slow";
  }
}
