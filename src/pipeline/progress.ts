import type { SourceFailure } from "./manifest.js";

/** What one worker thread is doing. */
export interface ThreadProgress {
  /** Name of the source that it reads; undefined while it waits. */
  readonly source: string | undefined;
  /** Rows read by this thread since the run began. */
  readonly rows: number;
}

/** A moment of a run. Bytes are bytes on disk, known before the first one is read. */
export interface RunProgress {
  /**
   * `merging`: all splits are done, and rows that they have spilled are put into their days. Splits are
   * then merges, bytes are those of the spilled rows, and a thread's source is the days that it merges.
   */
  readonly phase?: "merging";
  readonly threads: readonly ThreadProgress[];
  readonly bytesTotal: number;
  readonly bytesDone: number;
  /** Rows read in this run. */
  readonly rows: number;
  /** Rows rejected in this run. */
  readonly rejects: number;
  /** Events of these rows that the service has taken, where they go to a service. */
  readonly delivered?: number;
  /** The service that is sent to takes nothing for now. */
  readonly waiting?: boolean;
  readonly splitsTotal: number;
  readonly splitsDone: number;
}

/** What a run tells its caller while it lasts. */
export interface RunObserver {
  /**
   * Called when the plan stands, and again, with a progress that begins anew, when days are to be
   * merged; `progress` may be called at any time and costs little.
   */
  started?(progress: () => RunProgress): void;
  sourceFailed?(failure: SourceFailure): void;
  /** Facts worth a line: resumed, lock of a dead process taken over, fewer threads than asked for. */
  note?(text: string): void;
}

/**
 * What an export needs from outside, beside its options: `runExport(options, context)` in
 * run-export.ts resolves to an `ExportResult`. An aborted signal ends the run as `interrupted`.
 */
export interface RunContext {
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
}
