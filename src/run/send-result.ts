import { SwitchyardError } from "../base/errors.js";
import type { RunAccounts } from "../ledger/manifest.js";
import type { RunResult } from "./run.js";

/** Counts of events that were sent to a service. */
export interface DeliveryCounts {
  readonly delivered: number;
  /** Requests that were retried. */
  readonly retried: number;
  /** Events that were sent again with the same idempotency keys, although they may be stored. */
  readonly possiblyDuplicated: number;
  /** Milliseconds without a request in progress because the service accepted none. */
  readonly waitedMs: number;
}

/** `manifest.json` of a run that sent events. */
export interface SendManifest extends RunAccounts {
  readonly destination: string;
  /** Counts of the finished splits. */
  readonly delivery: DeliveryCounts;
}

/**
 * Counts so far: from the records of finished splits, and from the answers of the service for the others.
 */
export interface SentCounts extends DeliveryCounts {
  /** Rows of finished splits, and events of others that the service refused. */
  readonly rejected: number;
  readonly splitsDone: number;
  readonly splitsTotal: number;
}

/** The state of a run of `send`, finished or not. */
export interface SendStanding {
  readonly runId: string;
  readonly destination: string;
  readonly sent: SentCounts;
  /** Arguments that resume the run, without the program's name, and the directory to run them in. */
  readonly command: readonly string[];
  readonly directory: string;
}

/** The result of sending. An error that stops it is thrown instead, as `SendStopped`. */
export interface SendResult extends SendStanding, RunResult<SendManifest> {}

/** A run that cannot continue, with the code, message and exit code of its cause, and its progress. */
export class SendStopped extends SwitchyardError {
  constructor(
    cause: SwitchyardError,
    readonly standing: SendStanding,
  ) {
    super(cause.code, cause.message, { cause, exitCode: cause.exitCode });
  }
}
