import type { ArrowSlices, KernelNode } from "../../../batch/arrow-slice.js";

/** The rows of one column in one row group. What is told and taken is of what was filled. */
export interface ColumnRows {
  /** Makes more rows ready, at least when there is none. Throws `SourceError`. */
  fill(): void;
  /** Rows that can be taken at once. */
  readonly ready: number;
  /** Bytes of `ArrowSlices` that the next `rows` rows take. */
  size(rows: number): number;
  /** Bytes of their values that are not copied there, one that is there twice counted twice. */
  pointedSize(rows: number): number;
  take(slices: ArrowSlices, rows: number): KernelNode;
  skip(rows: number): void;
  close(): void;
}
