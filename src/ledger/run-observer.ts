import type { SourceFailure } from "./manifest.js";

/** The activity of one worker thread. */
export interface ThreadProgress {
  /** Name of the source that it reads; undefined while it is idle. */
  readonly source: string | undefined;
  /** Rows read by this thread since the run began. */
  readonly rows: number;
}

/** Describes what a run waits for. */
export interface WaitingProgress {
  /** The answer of the service, or the error of the connection. */
  readonly reason: string;
  /** Number of attempts of the request that failed last. */
  readonly attempts: number;
  /** Milliseconds until the run stops unless the service accepts something. */
  readonly leftMs: number;
}

/** The progress of a run. Bytes are bytes on disk, known before the first one is read. */
export interface RunProgress {
  /**
   * `keys`: all inputs are read a first time, to find duplicates.
   *
   * `merging`: all splits are done, and spilled rows are written to their days. Splits are then merges,
   * bytes are those of the spilled rows, and the source of a thread is the range of days that it merges.
   */
  readonly phase?: "keys" | "merging";
  readonly threads: readonly ThreadProgress[];
  readonly bytesTotal: number;
  readonly bytesDone: number;
  /** Rows read in this run. */
  readonly rows: number;
  /** Rows rejected in this run. */
  readonly rejects: number;
  /** Events of these rows that the service has accepted; 0 or absent if events go to files. */
  readonly delivered?: number;
  /** The last failure of a service that accepts no events at the moment. */
  readonly waiting?: WaitingProgress;
  readonly splitsTotal: number;
  readonly splitsDone: number;
}

/** Receives events of a run in progress. */
export interface RunObserver {
  /**
   * Called when the plan is made, and again with a new progress when merging begins. `progress` may
   * be called at any time and is cheap.
   */
  started?(progress: () => RunProgress): void;
  sourceFailed?(failure: SourceFailure): void;
  /** Facts worth a line: resumed, lock of a dead process taken over, fewer threads than requested. */
  note?(text: string): void;
}

/** The signal and observer of a run. An aborted signal ends the run as `interrupted`. */
export interface RunContext {
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Milliseconds since 1970 UTC; the default is the system's clock. */
  readonly now?: () => number;
}

/** The end of a run. `failed`: a source could not be read to its end. */
export type RunOutcome = "done" | "interrupted" | "failed";
