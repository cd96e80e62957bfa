import { type ArrowSlices, type KernelNode, sliceSize } from "../../../batch/arrow-slice.js";
import type { DecodedRows } from "../library/page-decoder.js";
import type { Pieces } from "../library/pieces.js";
import type { ColumnRows } from "./column-rows.js";

/** Rows that the library decodes, piece by piece. */
export class PartRows implements ColumnRows {
  #decoded: DecodedRows | undefined;
  /** First row of the piece that was not taken yet. */
  #position = 0;
  #rowsLeft: number;

  constructor(
    private readonly pieces: Pieces,
    rows: number,
  ) {
    this.#rowsLeft = rows;
  }

  fill(): void {
    if (this.ready > 0 || this.#rowsLeft === 0) return;
    this.close();
    const decoded = this.pieces.next(this.#rowsLeft);
    this.#decoded = decoded;
    this.#position = 0;
    this.#rowsLeft -= decoded.array.length;
  }

  get ready(): number {
    return this.#decoded === undefined ? 0 : this.#decoded.array.length - this.#position;
  }

  size(rows: number): number {
    const { array, memory } = this.#filled;
    return sliceSize(memory(), array, this.#position, rows);
  }

  pointedSize(): number {
    return 0;
  }

  take(slices: ArrowSlices, rows: number): KernelNode {
    const { array, memory } = this.#filled;
    return slices.take(memory(), array, this.#position, rows);
  }

  skip(rows: number): void {
    this.#position += rows;
  }

  close(): void {
    this.#decoded?.free();
    this.#decoded = undefined;
  }

  get #filled(): DecodedRows {
    if (this.#decoded === undefined) throw new Error("a column is read before it is filled");
    return this.#decoded;
  }
}
