import type { Source } from "../readers/source.js";

/** A member of a row as JSON has it; numbers are doubles, which is enough for a look. */
export type RowValue = string | number | boolean | null | readonly RowValue[] | Row;

export interface Row {
  readonly [name: string]: RowValue;
}

/** The first rows of a source. */
export interface SampledSource {
  readonly source: Source;
  readonly rows: readonly Row[];
  /** Rows that could not be read, among or before them. */
  readonly faults: number;
}
