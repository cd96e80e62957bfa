import { BATCH_ROWS_MAX } from "../base/limits.js";
import type { RowViews } from "./arrow-slice.js";
import type { Kernel } from "./kernel.js";
import { writeWords } from "./kernel-record.js";
import { rowWindowLayout } from "./layouts.js";
import type { PageCursor } from "./page-cursor.js";

/** Bytes of start, length, index, level and repeat. */
const ROW_BYTES = 14;
/** The rows begin at a multiple of 16 behind the descriptor. */
const HEAD_BYTES = Math.ceil(rowWindowLayout.bytes / 16) * 16;

/**
 * The next rows of a flat column as list-views, `BATCH_ROWS_MAX` at the most: rows are added at the
 * end, page after page, and taken from the front. For what lies inside of lists, rows are entries.
 */
export class RowWindow {
  #address = 0;
  #capacity = 0;
  #starts = 0;
  #lengths = 0;
  #levels = 0;
  #repeats = 0;
  /** Rows that were taken, and behind the last one. */
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

  /** Rows that can be taken. */
  get count(): number {
    return this.#end - this.#first;
  }

  /** Rows that can be added after `compact`. */
  get room(): number {
    return this.#capacity - this.count;
  }

  /** Moves the rows to the front, so that there is room for more: what was taken is gone. */
  compact(): void {
    const from = this.#columns;
    this.#move(from, from);
  }

  /** Makes room for twice as many rows, and moves them to the front. */
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

  /** Whether the next entry is none that begins a row. */
  get isInsideRow(): boolean {
    return this.count > 0 && this.kernel.bytes[this.#repeats + this.#first] !== 0;
  }

  /** Rows that the entries begin. */
  rowStarts(): number {
    return this.kernel.run.countRowStarts(this.#repeats + this.#first, this.count);
  }

  /** Entries of the next `rows` rows. */
  entriesOf(rows: number): number {
    return this.kernel.run.entriesOfRows(this.#repeats + this.#first, this.count, rows);
  }

  /**
   * Lists of the next entries, to the depths at `depths`: see src/kernels/parquet/parquet-lists.ts. False
   * where they make none.
   */
  unfold(depths: number, last: number, entries: number): boolean {
    const { run } = this.kernel;
    return run.unfoldLists(depths, last, this.#address, this.#first, entries) === 1;
  }

  take(rows: number): void {
    this.#first += rows;
  }

  free(): void {
    this.kernel.free(this.#address);
  }
}
