import { exitCodes } from "../base/errors.js";
import type { RunOutcome } from "../ledger/run-observer.js";

/** Returns the exit code of a run over inputs. */
export function runExitCode({
  outcome,
  tooManyRejects,
}: {
  readonly outcome: RunOutcome;
  readonly tooManyRejects: boolean;
}): number {
  switch (outcome) {
    case "interrupted":
      return exitCodes.interrupted;
    case "failed":
      return exitCodes.failed;
    case "done":
      return tooManyRejects ? exitCodes.tooManyRejects : exitCodes.done;
  }
}
