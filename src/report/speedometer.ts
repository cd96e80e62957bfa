import type { RunProgress } from "../pipeline/run-observer.js";

/** Speeds are averaged over this time: long enough to be steady, short enough to be current. */
const WINDOW_MS = 10_000;

interface ProgressSample {
  readonly atMs: number;
  readonly rows: number;
  readonly bytes: number;
}

/** The speed of a run. */
export interface Speed {
  readonly rowsPerSecond: number;
  readonly bytesPerSecond: number;
  /** Undefined until bytes have been read. */
  readonly leftMs: number | undefined;
}

/** Speed over the last seconds of a run. */
export class Speedometer {
  readonly #samples: ProgressSample[] = [];

  take(atMs: number, progress: RunProgress): Speed {
    const sample = { atMs, rows: progress.rows, bytes: progress.bytesDone };
    const samples = this.#samples;
    samples.push(sample);
    // Keep one sample that is at least a window old, once there is one.
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
