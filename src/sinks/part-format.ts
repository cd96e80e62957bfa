import type { EncodedPart } from "./encoded-part.js";
import type { RowForm, RowsOptions } from "./output-columns.js";
import type { PartOutput } from "./part-output.js";
import type { RowBuffer } from "./row-buffer.js";

/** Writes the part files of one format. One per worker. */
export interface PartFormat extends RowsOptions {
  /** Extension of the file, without the dot. */
  readonly extension: string;
  /** The row buffer that it reads: a `ColumnBuffer` or a `LineBuffer`. */
  readonly rows: RowForm;
  openPart(output: PartOutput): PartEncoder;
}

/** Writes one part file from the rows of a row buffer. */
export interface PartEncoder {
  /**
   * Appends rows at indexes [start, end) of the order (address of u32 row numbers), or the first of
   * them if a part may be finished in between. Returns the index to continue from.
   */
  append(rowBuffer: RowBuffer, order: number, start: number, end: number): number;
  /**
   * Appends the rows of a finished part of this format by copying their encoded bytes. Throws
   * `parts_differ` if it has other columns.
   */
  appendPart(part: EncodedPart): void;
  /** Appends the end of the file. */
  finish(): void;
  /** Bytes held in memory until the part is finished. */
  readonly heldBytes: number;
}
