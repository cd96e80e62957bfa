import type { Clock } from "../base/clock.js";
import type { RunObserver, RunProgress } from "../pipeline/run-observer.js";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumberOf,
  formatShare,
} from "./quantities.js";
import { describeFailure } from "./summary-parts.js";
import { cutEnd, cutStart, harmless } from "./terminal-text.js";

const LIVE_INTERVAL_MS = 200;
const PLAIN_INTERVAL_MS = 5_000;

/** The stream that progress is written to: standard error, or a test's. */
export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Shows the progress of one run. */
export interface ProgressDisplay {
  readonly observer: RunObserver;
  /** Ends the display; live lines disappear. */
  stop(): void;
}

/** Shows live lines on a terminal and a plain line every few seconds elsewhere, with notes and failures. */
export function showProgress(stream: ProgressStream, clock: Clock): ProgressDisplay {
  return stream.isTTY === true ? new LiveDisplay(stream, clock) : new PlainDisplay(stream, clock);
}

/** Shows nothing: `--quiet`. Failures of sources are part of the result. */
export const noProgress: ProgressDisplay = { observer: {}, stop: () => undefined };

class PlainDisplay implements ProgressDisplay {
  readonly observer: RunObserver;
  #stopTimer: () => void = () => undefined;

  constructor(stream: ProgressStream, clock: Clock) {
    const line = (text: string) => stream.write(`${text}\n`);
    this.observer = {
      started: (progress) => {
        this.#stopTimer();
        const speedometer = new Speedometer();
        speedometer.take(clock.now(), progress());
        this.#stopTimer = clock.repeat(PLAIN_INTERVAL_MS, () => {
          const current = progress();
          line(describeTotal(current, speedometer.take(clock.now(), current)));
        });
      },
      sourceFailed: (failure) => line(`failed: ${describeFailure(failure)}`),
      note: (text) => line(harmless(text)),
    };
  }

  stop(): void {
    this.#stopTimer();
  }
}

class LiveDisplay implements ProgressDisplay {
  readonly observer: RunObserver;
  readonly #stream: ProgressStream;
  #stopTimer: () => void = () => undefined;
  #linesShown = 0;

  constructor(stream: ProgressStream, clock: Clock) {
    this.#stream = stream;
    this.observer = {
      started: (progress) => {
        this.#stopTimer();
        const speedometer = new Speedometer();
        speedometer.take(clock.now(), progress());
        this.#stopTimer = clock.repeat(LIVE_INTERVAL_MS, () => {
          const current = progress();
          this.#draw(current, speedometer.take(clock.now(), current));
        });
      },
      sourceFailed: (failure) => this.#lineAbove(`failed: ${describeFailure(failure)}`),
      note: (text) => this.#lineAbove(harmless(text)),
    };
  }

  stop(): void {
    this.#stopTimer();
    this.#stream.write(this.#erase());
  }

  #draw(progress: RunProgress, speed: Speed): void {
    // One column stays free: some terminals wrap a line that fills the last one.
    const columns = Math.max(20, (this.#stream.columns ?? 80) - 1);
    const threadsMax = Math.max(1, (this.#stream.rows ?? 24) - 3);
    const lines = [
      ...describeThreads(progress, threadsMax, columns),
      cutEnd(describeTotal(progress, speed), columns),
    ];
    const text = `${this.#erase()}${lines.join("\n")}\n`;
    this.#linesShown = lines.length;
    this.#stream.write(text);
  }

  #lineAbove(text: string): void {
    this.#stream.write(`${this.#erase()}${text}\n`);
  }

  /** Moves to the first live line and clears everything below. */
  #erase(): string {
    const lines = this.#linesShown;
    this.#linesShown = 0;
    return lines === 0 ? "" : `\u001b[${lines}A\u001b[0J`;
  }
}

function describeThreads(progress: RunProgress, linesMax: number, columns: number): string[] {
  const { threads } = progress;
  const shown = threads.length > linesMax ? threads.slice(0, linesMax - 1) : threads;
  const lines = shown.map(({ source, rows }, index) => {
    const head = `${String(index + 1).padStart(3)}  ${formatCount(rows).padStart(13)} rows  `;
    return head + cutStart(harmless(source ?? "waiting"), columns - head.length);
  });
  const hidden = threads.length - shown.length;
  return hidden > 0 ? [...lines, `     and ${formatNumberOf(hidden, "more thread")}`] : lines;
}

function describeTotal(progress: RunProgress, speed: Speed): string {
  const left =
    speed.leftMs === undefined ? "time left unknown" : `${formatDuration(speed.leftMs)} left`;
  const delivered =
    progress.delivered === undefined || progress.delivered === 0
      ? []
      : [`${formatCount(progress.delivered)} delivered`];
  return [
    ...(progress.phase === "merging" ? ["merging days"] : []),
    formatShare(progress.bytesDone, progress.bytesTotal),
    formatNumberOf(progress.rows, "row"),
    `${formatCount(speed.rowsPerSecond)} rows/s`,
    `${formatBytes(speed.bytesPerSecond)}/s`,
    ...delivered,
    ...(progress.phase === "merging" ? [] : [`${formatCount(progress.rejects)} rejected`]),
    left,
    ...(progress.waiting === true ? ["waiting for the service"] : []),
  ].join(" · ");
}

/** Speeds are averaged over this time: long enough to be steady, short enough to be current. */
const WINDOW_MS = 10_000;

interface ProgressSample {
  readonly atMs: number;
  readonly rows: number;
  readonly bytes: number;
}

interface Speed {
  readonly rowsPerSecond: number;
  readonly bytesPerSecond: number;
  /** Undefined until bytes have been read. */
  readonly leftMs: number | undefined;
}

/** Speed over the last seconds of a run. */
class Speedometer {
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
