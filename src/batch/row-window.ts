import { BATCH_ROWS_MAX } from "../base/limits.js";
import type { Kernel } from "./kernel.js";
import { writeWords } from "./kernel-record.js";
import { rowWindowLayout } from "./layouts.js";
import type { RowViews } from "./nested-builder.js";
import type { PageCursor } from "./page-cursor.js";

/** Bytes of start, length, index, level and repeat. */
const ROW_BYTES = 14;
/** The rows begin at a multiple of 16 after the descriptor. */
const HEAD_BYTES = Math.ceil(rowWindowLayout.bytes / 16) * 16;

/**
 * The next rows of a leaf, in a window of initially `BATCH_ROWS_MAX` rows. Rows are added at the
 * end, page after page, and taken from the front. Inside lists its rows are entries.
 */
export class RowWindow {
  #address = 0;
  #capacity = 0;
  #starts = 0;
  #lengths = 0;
  #levels = 0;
  #repeats = 0;
  /** The index of the first row not yet taken, and the index after the last row. */
  #first = 0;
  #end = 0;

  constructor(private readonly kernel: Kernel) {
    this.#allocate(BATCH_ROWS_MAX);
  }

  #allocate(rows: number): void {
    const { kernel } = this;
    this.#address = kernel.allocate(HEAD_BYTES + rows * ROW_BYTES);
    this.#capacity = rows;
    this.#starts = this.#address + HEAD_BYTES;
    this.#lengths = this.#starts + rows * 4;
    const indexes = this.#lengths + rows * 4;
    this.#levels = indexes + rows * 4;
    this.#repeats = this.#levels + rows;
    writeWords(kernel, rowWindowLayout, this.#address, {
      starts: this.#starts,
      lengths: this.#lengths,
      levels: this.#levels,
      indexes,
      repeats: this.#repeats,
    });
  }

  /** Number of rows that can be taken. */
  get count(): number {
    return this.#end - this.#first;
  }

  /** Number of rows that can be added after `compact`. */
  get room(): number {
    return this.#capacity - this.count;
  }

  /** Discards taken rows to make room for others. */
  compact(): void {
    const from = this.#columns;
    this.#move(from, from);
  }

  /** Doubles the room and discards taken rows. */
  grow(): void {
    const from = this.#columns;
    const old = this.#address;
    this.#allocate(this.#capacity * 2);
    this.#move(from, this.#columns);
    this.kernel.free(old);
  }

  get #columns(): readonly number[] {
    return [this.#starts, this.#lengths, this.#levels, this.#repeats];
  }

  #move(from: readonly number[], to: readonly number[]): void {
    const { bytes } = this.kernel;
    for (const [index, width] of [4, 4, 1, 1].entries()) {
      const source = from[index]!;
      bytes.copyWithin(to[index]!, source + this.#first * width, source + this.#end * width);
    }
    this.#end -= this.#first;
    this.#first = 0;
  }

  /** Adds the next rows of a page and returns 0, or adds nothing and returns one of `pageFaults`. */
  add(page: PageCursor, rows: number): number {
    const fault = this.kernel.run.readPageRows(page.address, this.#address, this.#end, rows);
    if (fault === 0) this.#end += rows;
    return fault;
  }

  /** Returns the bytes of the byte strings of the next `rows` rows. */
  bytes(rows: number): number {
    return this.kernel.run.sumLengths(this.#lengths + this.#first * 4, rows);
  }

  /** True if each of the next `rows` rows has a byte string that is not empty. */
  areFilled(rows: number, levelMax: number): boolean {
    const { levels, lengths } = this.views(0);
    return this.kernel.run.areFilled(levels, lengths, rows, levelMax) === 1;
  }

  /** Returns the positions of the next rows, valid until `compact`; `dataSize` is their bytes. */
  views(dataSize: number): RowViews {
    const starts = this.#starts + this.#first * 4;
    const lengths = this.#lengths + this.#first * 4;
    return { starts, lengths, levels: this.#levels + this.#first, dataSize };
  }

  /** True if the next entry does not begin a row. */
  get isInsideRow(): boolean {
    return this.count > 0 && this.kernel.bytes[this.#repeats + this.#first] !== 0;
  }

  /** Returns the number of rows that the entries begin. */
  rowStarts(): number {
    return this.kernel.run.countRowStarts(this.#repeats + this.#first, this.count);
  }

  /** Returns the number of entries of the next `rows` rows. */
  entriesOf(rows: number): number {
    return this.kernel.run.entriesOfRows(this.#repeats + this.#first, this.count, rows);
  }

  /**
   * Writes the lists of the next entries to the depths at `depths`
   * (src/kernels/parquet/parquet-lists.ts). Returns false if the entries do not form lists.
   */
  unfold(depths: number, last: number, entries: number): boolean {
    const { run } = this.kernel;
    return run.unfoldLists(depths, last, this.#address, this.#first, entries) === 1;
  }

  /** Returns the bytes of the byte strings of the last `rows` rows. */
  lastBytes(rows: number): number {
    return this.kernel.run.sumLengths(this.#lengths + (this.#end - rows) * 4, rows);
  }

  /** Copies the values of the last `rows` rows to `target`, and points the rows there. */
  moveLast(rows: number, levelMax: number, width: number, target: number): void {
    const first = this.#end - rows;
    this.kernel.run.moveValues(this.#address, first, rows, levelMax, width, target);
  }

  take(rows: number): void {
    this.#first += rows;
  }

  free(): void {
    this.kernel.free(this.#address);
  }
}
