import type { Clock } from "../../src/base/clock.js";

/** A clock that stands still until it is told to move. */
export class FakeClock implements Clock {
  #nowMs = 0;
  readonly #repeated = new Set<{ intervalMs: number; nextMs: number; work: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  repeat(intervalMs: number, work: () => void): () => void {
    const entry = { intervalMs, nextMs: this.#nowMs + intervalMs, work };
    this.#repeated.add(entry);
    return () => this.#repeated.delete(entry);
  }

  get repeating(): number {
    return this.#repeated.size;
  }

  advance(milliseconds: number): void {
    const endMs = this.#nowMs + milliseconds;
    for (;;) {
      const due = [...this.#repeated].filter(({ nextMs }) => nextMs <= endMs);
      const next = due.sort((one, other) => one.nextMs - other.nextMs)[0];
      if (next === undefined) break;
      this.#nowMs = next.nextMs;
      next.nextMs += next.intervalMs;
      next.work();
    }
    this.#nowMs = endMs;
  }
}
