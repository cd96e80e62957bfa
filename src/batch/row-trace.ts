/** Targets of a mapping, and its filter, which is in no event. */
export const traceTargets = [
  "event",
  "timestamp",
  "userID",
  "stableID",
  "value",
  "insertID",
  "user",
  "metadata",
  "filter",
] as const;

/**
 * A value of the row, and the value of the event that was made of it. What is below one of them has the same
 * path below the other, unless a step with a longer `to` says otherwise.
 */
export interface TraceStep {
  readonly target: (typeof traceTargets)[number];
  /** Path in the row, as in a `FieldRequest`. */
  readonly from: readonly string[];
  /** Path in the event as JSON; empty for the filter. */
  readonly to: readonly string[];
}
