import { BATCH_ROWS_MAX } from "../base/limits.js";
import type { RowViews } from "./arrow-slice.js";
import type { Kernel } from "./kernel.js";
import type { PageCursor } from "./page-cursor.js";

/** Bytes of RowWindow in src/kernels/parquet/parquet-rows.ts. */
const DESCRIPTOR_BYTES = 16;
/** Bytes of start, length, index and level. */
const ROW_BYTES = 13;

/**
 * The next rows of a flat column as list-views, `BATCH_ROWS_MAX` at the most: rows are added at the
 * end, page after page, and taken from the front.
 */
export class RowWindow {
  readonly #address: number;
  readonly #starts: number;
  readonly #lengths: number;
  readonly #levels: number;
  /** Rows that were taken, and behind the last one. */
  #first = 0;
  #end = 0;

  constructor(private readonly kernel: Kernel) {
    this.#address = kernel.allocate(DESCRIPTOR_BYTES + BATCH_ROWS_MAX * ROW_BYTES);
    this.#starts = this.#address + DESCRIPTOR_BYTES;
    this.#lengths = this.#starts + BATCH_ROWS_MAX * 4;
    const indexes = this.#lengths + BATCH_ROWS_MAX * 4;
    this.#levels = indexes + BATCH_ROWS_MAX * 4;
    kernel.words.set([this.#starts, this.#lengths, this.#levels, indexes], this.#address / 4);
  }

  /** Rows that can be taken. */
  get count(): number {
    return this.#end - this.#first;
  }

  /** Rows that can be added after `compact`. */
  get room(): number {
    return BATCH_ROWS_MAX - this.count;
  }

  /** Moves the rows to the front, so that there is room for more: what was taken is gone. */
  compact(): void {
    const { kernel } = this;
    for (const [column, bytes] of [
      [this.#starts, 4],
      [this.#lengths, 4],
      [this.#levels, 1],
    ] as const) {
      kernel.bytes.copyWithin(column, column + this.#first * bytes, column + this.#end * bytes);
    }
    this.#end -= this.#first;
    this.#first = 0;
  }

  /** Adds the next rows of a page. Returns one of `pageFaults`, and adds nothing unless it is 0. */
  add(page: PageCursor, rows: number): number {
    const fault = this.kernel.run.readPageRows(page.address, this.#address, this.#end, rows);
    if (fault === 0) this.#end += rows;
    return fault;
  }

  /** Bytes of the byte strings of the next `rows` rows. */
  bytes(rows: number): number {
    return this.kernel.run.sumLengths(this.#lengths + this.#first * 4, rows);
  }

  /** The next rows, where they are until `compact`; `dataSize`: bytes of their byte strings. */
  views(dataSize: number): RowViews {
    const starts = this.#starts + this.#first * 4;
    const lengths = this.#lengths + this.#first * 4;
    return { starts, lengths, levels: this.#levels + this.#first, dataSize };
  }

  take(rows: number): void {
    this.#first += rows;
  }

  free(): void {
    this.kernel.free(this.#address);
  }
}
