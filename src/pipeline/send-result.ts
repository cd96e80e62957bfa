import { SwitchyardError } from "../base/errors.js";
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

/** Counts by now: those of finished splits, and what a service has decided about the events of others. */
export interface SentCounts extends DeliveryCounts {
  /** Rows of finished splits, and events of others that the service refused. */
  readonly rejected: number;
  readonly splitsDone: number;
  readonly splitsTotal: number;
}

/** A run of `send` that was begun, wherever it has come to. */
export interface SendStanding {
  readonly runId: string;
  readonly destination: string;
  readonly sent: SentCounts;
  /** Words that take the run up again, without the program's name, and where to say them. */
  readonly command: readonly string[];
  readonly directory: string;
}

/** How sending ended. What makes it impossible to go on is thrown instead, as `SendStopped`. */
export interface SendResult extends SendStanding {
  readonly outcome: RunOutcome;
  readonly manifest: SendManifest;
  /** Absolute path of the manifest. */
  readonly manifestPath: string;
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

/** A run that was begun cannot go on: code, words and exit code of what stopped it, and how far it is. */
export class SendStopped extends SwitchyardError {
  constructor(
    cause: SwitchyardError,
    readonly standing: SendStanding,
  ) {
    super(cause.code, cause.message, { cause, exitCode: cause.exitCode });
  }
}
