import type { DecodedRows } from "./page-decoder.js";

/** Pieces of a column's rows in order, each decoded when it is asked for. */
export interface Pieces {
  /** At least one row, at most `rowsLeft`. Throws `SourceError`. */
  next(rowsLeft: number): DecodedRows;
}
