import type { RowPlace } from "../batch/batch.js";

/** Counts of rows, in sampled rows times the rows that each stands for. Plain JSON data. */
export interface FieldCounts {
  /** For each target: rows without and with a value, names of events with one, and shapes of its texts. */
  readonly targets: readonly TargetCounts[];
  readonly fields: readonly FieldCount[];
}

interface TargetCounts {
  lacking: number;
  filled: number;
  /** False if some of the rows without a value stand for several. */
  isExact: boolean;
  readonly names: readonly string[];
  readonly shapes: readonly string[];
}

export interface FieldCount {
  readonly path: readonly string[];
  /** True if the mapping puts the field into an object. */
  readonly isKept: boolean;
  rows: number;
  objects: number;
  /** Shapes of its texts and numbers. */
  readonly shapes: readonly string[];
  /** Some of its texts, cut: only their number matters. */
  readonly texts: readonly string[];
  readonly lacking: readonly LackingCount[];
}

/** Rows that have the field, and lack the target. */
interface LackingCount {
  readonly target: number;
  rows: number;
  readonly names: readonly string[];
  readonly first: RowPlace;
}
