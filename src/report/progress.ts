import type { Clock } from "../base/clock.js";
import { formatCount } from "../base/format-count.js";
import { formatShare } from "../base/format-share.js";
import { nameOptions } from "../base/option-text.js";
import { sum } from "../base/sum.js";
import type { SourceFailure } from "../ledger/manifest.js";
import type { RunObserver, RunProgress, WaitingProgress } from "../ledger/run-observer.js";
import { formatBytes, formatDuration, formatNumberOf } from "./quantities.js";
import { describeFailure } from "./summary-parts.js";
import { cutEnd, cutStart, harmless, joinFromRight, widthOf, wrapLine } from "./terminal-text.js";

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

/**
 * Shows live lines on a terminal and a plain line every few seconds elsewhere, with notes and failures.
 * A terminal of the type `dumb` cannot move its cursor.
 */
export function showProgress(
  stream: ProgressStream,
  clock: Clock,
  terminal?: string,
): ProgressDisplay {
  const isLive = stream.isTTY === true && terminal !== "dumb";
  return isLive ? showLive(stream, clock) : showPlain(stream, clock);
}

/**
 * Writes one JSON object per line: progress every few seconds, notes and failures. Times are ISO 8601,
 * `leftMs` is null until it is known.
 */
export function logProgress(stream: ProgressStream, clock: Clock, step: string): ProgressDisplay {
  const log = (level: string, event: string, facts: object) =>
    void stream.write(logLine(level, event, { step, ...facts }));
  return showEvery(clock, {
    intervalMs: PLAIN_INTERVAL_MS,
    progress: ({ threads: _, ...progress }, { leftMs, rowsPerSecond, bytesPerSecond }) =>
      log("info", "progress", {
        ...progress,
        rowsPerSecond: Math.round(rowsPerSecond),
        bytesPerSecond: Math.round(bytesPerSecond),
        leftMs: leftMs === undefined ? null : Math.round(leftMs),
      }),
    failure: (failure) => log("warn", "source_failed", failure),
    note: (message) => log("info", "note", { message }),
  });
}

/** Returns a line of a log for programs: `--json=log`. */
export function logLine(level: string, event: string, facts: object): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, event, ...facts })}\n`;
}

/** Shows nothing: `--quiet`. Failures of sources are part of the result. */
export const noProgress: ProgressDisplay = { observer: {}, stop: () => undefined };

function showPlain(stream: ProgressStream, clock: Clock): ProgressDisplay {
  const line = (text: string) => void stream.write(`${text}\n`);
  return showEvery(clock, {
    intervalMs: PLAIN_INTERVAL_MS,
    progress: (...now) => line(partsOfTotal(...now).join(" · ")),
    ...linesOf(line),
  });
}

function showLive(stream: ProgressStream, clock: Clock): ProgressDisplay {
  let shown: readonly string[] = [];
  /** Moves to the first live line and clears everything below. A terminal that became narrower wraps. */
  const erase = () => {
    const columns = stream.columns ?? 80;
    const rows = sum(shown, (line) => Math.max(1, Math.ceil(widthOf(line) / columns)));
    shown = [];
    return rows === 0 ? "" : `\u001b[${rows}A\u001b[0J`;
  };
  const lineAbove = (text: string) =>
    void stream.write(`${erase()}${wrapLine(text, stream.columns ?? 80)}\n`);
  const draw = (progress: RunProgress, speed: Speed) => {
    // One column stays free: some terminals wrap a line that fills the last one.
    const columns = Math.max(20, (stream.columns ?? 80) - 1);
    const threadsMax = Math.max(1, (stream.rows ?? 24) - 3);
    const lines = [
      ...describeThreads(progress, threadsMax, columns),
      joinFromRight(partsOfTotal(progress, speed), columns),
    ];
    stream.write(`${erase()}${lines.join("\n")}\n`);
    shown = lines;
  };
  const { observer, stop } = showEvery(clock, {
    intervalMs: LIVE_INTERVAL_MS,
    progress: draw,
    ...linesOf(lineAbove),
  });
  return {
    observer,
    stop: () => {
      stop();
      stream.write(erase());
    },
  };
}

/** The parts of a display. */
interface Shown {
  readonly intervalMs: number;
  progress(progress: RunProgress, speed: Speed): void;
  failure(failure: SourceFailure): void;
  note(text: string): void;
}

function linesOf(line: (text: string) => void): Pick<Shown, "failure" | "note"> {
  return {
    failure: (failure) => line(`failed: ${describeFailure(failure)}`),
    note: (text) => line(text.split("\n").map(harmless).join("\n")),
  };
}

/** Shows progress in intervals once the run has started, and notes and failures. */
function showEvery(
  clock: Clock,
  { intervalMs, progress: show, failure, note }: Shown,
): ProgressDisplay {
  let stopTimer: () => void = () => undefined;
  const observer: RunObserver = {
    started: (progress) => {
      stopTimer();
      const speedometer = new Speedometer();
      speedometer.take(clock.now(), progress());
      stopTimer = clock.repeat(intervalMs, () => {
        const current = progress();
        show(current, speedometer.take(clock.now(), current));
      });
    },
    sourceFailed: failure,
    note: (text) => note(nameOptions(text)),
  };
  return { observer, stop: () => stopTimer() };
}

function describeThreads(progress: RunProgress, linesMax: number, columns: number): string[] {
  const { threads } = progress;
  const shown = threads.length > linesMax ? threads.slice(0, linesMax - 1) : threads;
  const lines = shown.map(({ source, rows }, index) => {
    const head = `${String(index + 1).padStart(3)}  ${formatCount(rows).padStart(13)} rows  `;
    return cutEnd(head, columns) + cutStart(harmless(source ?? "waiting"), columns - head.length);
  });
  const hidden = threads.length - shown.length;
  return hidden > 0 ? [...lines, `     and ${formatNumberOf(hidden, "more thread")}`] : lines;
}

/** The most important part is last: a narrow terminal has no room for the first ones. */
function partsOfTotal(progress: RunProgress, speed: Speed): readonly string[] {
  const { waiting, phase, rejects, delivered = 0 } = progress;
  const left =
    speed.leftMs === undefined ? "time left unknown" : `${formatDuration(speed.leftMs)} left`;
  const share = formatShare(progress.bytesDone, progress.bytesTotal);
  return [
    formatNumberOf(progress.rows, "row"),
    `${formatCount(speed.rowsPerSecond)} rows/s`,
    `${formatBytes(speed.bytesPerSecond)}/s`,
    ...(delivered === 0 ? [] : [`${formatCount(delivered)} delivered`]),
    ...(phase !== undefined || rejects === 0 ? [] : [`${formatCount(rejects)} rejected`]),
    phase === undefined ? share : `${phaseNames[phase]} ${share}`,
    waiting === undefined ? left : describeWaiting(waiting),
  ];
}

const phaseNames = { keys: "looking for duplicates", merging: "merging days" } as const;

/** The reason comes last, because a narrow terminal cuts it. */
function describeWaiting({ reason, attempts, leftMs }: WaitingProgress): string {
  return `${formatDuration(leftMs)} left, waiting for the service (attempt ${attempts}): ${harmless(reason)}`;
}

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
