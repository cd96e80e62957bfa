import type { RunOutcome } from "./export-result.js";
import type { RunAccounts, SourceFailure } from "./manifest.js";

/** What became of events on their way to a service. */
export interface DeliveryCounts {
  readonly delivered: number;
  /** Requests that were sent again. */
  readonly retried: number;
  /** Events that were sent again though they may have been stored; their keys were the same. */
  readonly possiblyTwice: number;
  /** Milliseconds in which nothing was under way because the service took nothing. */
  readonly waitedMs: number;
}

/** `manifest.json` of a run that sent events. */
export interface SendManifest extends RunAccounts {
  readonly destination: string;
  /** Of the splits that are finished. */
  readonly delivery: DeliveryCounts;
}

/** How sending ended. What makes it impossible to go on is thrown instead. */
export interface SendResult {
  readonly outcome: RunOutcome;
  readonly runId: string;
  readonly manifest: SendManifest;
  /** Absolute path of the manifest. */
  readonly manifestPath: string;
  /** Events that were delivered of the split that was interrupted. */
  readonly deliveredBeyond: number;
  /** One for each source that could not be read to its end. */
  readonly failures: readonly SourceFailure[];
  /** More rows were rejected than `maxRejects` allows. */
  readonly tooManyRejects: boolean;
  /** All of it had been sent by an earlier run: nothing was done. */
  readonly alreadyDone: boolean;
  /** Rows read in this run, without what an earlier run had done. */
  readonly rowsRead: number;
  readonly durationMs: number;
}
