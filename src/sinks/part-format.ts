import type { PartOutput } from "./part-output.js";
import type { RowBuffer } from "./row-buffer.js";

/** How part files of one format are written. One per worker. */
export interface PartFormat {
  /** Ending of the file's name, without the dot. */
  readonly extension: string;
  /** Form of the rows that it takes: a `ColumnBuffer` or a `LineBuffer`. */
  readonly rows: "columns" | "lines";
  openPart(output: PartOutput): PartEncoder;
}

/** Writes one part file from the rows of a row buffer. */
export interface PartEncoder {
  /**
   * Appends rows at places [start, end) of the order (address of u32 row numbers), or the first of
   * them where a part may be finished in between. Returns the place to go on from.
   */
  append(rowBuffer: RowBuffer, order: number, start: number, end: number): number;
  /** Appends what ends the file. */
  finish(): void;
  /** Bytes held in memory until the part is finished. */
  readonly heldBytes: number;
}
