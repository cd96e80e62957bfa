import type { Repair } from "./target-rules.js";

/** Names and keys of one split that the target does not take as they are, with their events. */
export interface SplitRenames {
  readonly names: readonly (readonly [name: string, rows: number])[];
  /** Paths in metadata, outermost name first. */
  readonly keys: readonly (readonly [path: readonly string[], rows: number])[];
  /** User properties that fill a field of another name. */
  readonly users: readonly (readonly [property: string, rows: number])[];
  /** Parts of the target whose list ends at the limit. */
  readonly cut?: readonly Repair[];
}
