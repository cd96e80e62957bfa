import type { SourceFailure } from "../manifest.js";
import type { RunOutcome } from "../run-observer.js";
import type { CountedReport } from "./fold-report.js";

/** How a dry run ended. What makes it impossible is thrown instead. */
export interface ValidateResult {
  readonly outcome: RunOutcome;
  /** Of what was read, also where the run was interrupted. */
  readonly counted: CountedReport;
  /** One for each source that could not be read to its end. */
  readonly failures: readonly SourceFailure[];
  /** More rows were rejected than `maxRejects` allows. */
  readonly tooManyRejects: boolean;
  readonly rowsRead: number;
  /** On disk. */
  readonly bytesRead: number;
  readonly durationMs: number;
}
