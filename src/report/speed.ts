import type { RunProgress } from "../pipeline/run-observer.js";

/** Milliseconds that speeds are averaged over: long enough to be calm, short enough to be true. */
const WINDOW_MS = 10_000;

interface Sample {
  readonly atMs: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface Speed {
  readonly rowsPerSecond: number;
  readonly bytesPerSecond: number;
  /** Undefined until something is known. */
  readonly leftMs: number | undefined;
}

/** Speed over the last seconds of a run. */
export class Speedometer {
  readonly #samples: Sample[] = [];

  take(atMs: number, progress: RunProgress): Speed {
    const sample = { atMs, rows: progress.rows, bytes: progress.bytesDone };
    const samples = this.#samples;
    samples.push(sample);
    // The oldest sample that is kept is at least a whole window old, once there is one.
    while ((samples[1]?.atMs ?? atMs) <= atMs - WINDOW_MS) samples.shift();
    const oldest = samples[0] ?? sample;
    const seconds = (atMs - oldest.atMs) / 1000;
    if (seconds <= 0) return { rowsPerSecond: 0, bytesPerSecond: 0, leftMs: undefined };
    const bytesPerSecond = (sample.bytes - oldest.bytes) / seconds;
    const bytesLeft = progress.bytesTotal - progress.bytesDone;
    return {
      rowsPerSecond: (sample.rows - oldest.rows) / seconds,
      bytesPerSecond,
      leftMs: bytesPerSecond > 0 ? (bytesLeft / bytesPerSecond) * 1000 : undefined,
    };
  }
}
