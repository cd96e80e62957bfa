import type { Manifest, SourceFailure } from "./manifest.js";

const runOutcomes = ["done", "interrupted", "failed"] as const;
export type RunOutcome = (typeof runOutcomes)[number];

/** How an export ended. What makes a whole run impossible (disk full, usage) is thrown instead. */
export interface ExportResult {
  readonly outcome: RunOutcome;
  readonly manifest: Manifest;
  /** Absolute path of the manifest. */
  readonly manifestPath: string;
  /** One for each source that could not be read to its end. */
  readonly failures: readonly SourceFailure[];
  /** More rows were rejected than `maxRejects` allows. */
  readonly tooManyRejects: boolean;
  /** The directory held the finished result of the same command: nothing was done. */
  readonly alreadyDone: boolean;
  /** Rows read in this run, without what an earlier run had done. */
  readonly rowsRead: number;
  /** Bytes (on disk) read in this run. */
  readonly bytesRead: number;
  readonly durationMs: number;
}
