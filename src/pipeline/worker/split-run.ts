import { SwitchyardError } from "../../base/errors.js";
import type { SourceFailure } from "../manifest.js";
import type { Split } from "../plan.js";
import { WorkerDeath } from "./worker-thread.js";

/** A split that is to be run, or is. */
export interface SplitRun {
  readonly split: Split;
  readonly skipped: Readonly<Record<number, SourceFailure>>;
  /** No other split may be at work on its thread, so that a death of the thread is known to be its. */
  readonly isAlone: boolean;
}

/**
 * Leaves out the range that was being read, or, when none was, all of them. Throws where that would
 * change nothing.
 */
export function withoutFailed(run: SplitRun, range: number, death: WorkerDeath): SplitRun {
  const { split } = run;
  const indexes = range >= 0 ? [range] : split.ranges.map((_, index) => index);
  const fresh = indexes.filter((index) => run.skipped[index] === undefined);
  if (fresh.length === 0) throw asFatal(split, death);
  const skipped = { ...run.skipped };
  for (const index of fresh) {
    const source = split.ranges[index]?.source.name ?? "";
    const message = `${source}: its worker thread died: ${death.message}`;
    skipped[index] = { source, code: "source_crashed", message };
  }
  return { ...run, skipped };
}

export function asFatal(split: Split, error: unknown): unknown {
  if (!(error instanceof WorkerDeath)) return error;
  return new SwitchyardError(
    "worker_died",
    `a worker thread died before or after it read split ${split.id}: ${error.message}`,
    { cause: error },
  );
}
