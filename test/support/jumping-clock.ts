import { ACKNOWLEDGE_SYNC_MS } from "../../src/base/limits.js";
import type { SendClock } from "../../src/webhook/send-clock.js";

/**
 * A clock without waiting: it jumps to the next timer as soon as nothing else is to be done. Timers of
 * the periodic sync never end, as otherwise time would advance for them alone.
 */
export class JumpingClock implements SendClock {
  #nowMs = Date.UTC(2026, 0, 31);
  #timers: { readonly dueMs: number; readonly work: () => void }[] = [];
  #isJumping = false;

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, work: () => void): () => void {
    if (delayMs === ACKNOWLEDGE_SYNC_MS) return () => undefined;
    const timer = { dueMs: this.#nowMs + delayMs, work };
    this.#timers.push(timer);
    this.#jumpSoon();
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  #jumpSoon(): void {
    if (this.#isJumping) return;
    this.#isJumping = true;
    setImmediate(() => {
      this.#isJumping = false;
      const [next] = this.#timers.sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) return;
      this.#timers.shift();
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.work();
      this.#jumpSoon();
    });
  }
}
