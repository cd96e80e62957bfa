import { exitCodes } from "../../base/errors.js";
import type { RunOutcome } from "../../pipeline/export-result.js";

/** Exit code of a run over inputs, wherever its events went. */
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
