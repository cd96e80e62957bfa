import { BATCH_ROWS_MAX, WINDOW_BYTES } from "../../base/limits.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { FieldRequest } from "../../batch/batch.js";
import { type Column, cellKinds } from "../../batch/column.js";
import { FieldTable } from "../../batch/field-table.js";
import { type Kernel, Region } from "../../batch/kernel.js";

/** Words of `Scan` in src/kernels/json/json-rows.ts, by index. */
const scanWords = {
  cursor: 0,
  end: 1,
  final: 2,
  rowsMax: 3,
  rows: 4,
  root: 5,
  starts: 6,
  lengths: 7,
  faults: 8,
  faultPlaces: 9,
  scratch: 10,
  kept: 11,
  inArray: 12,
  depth: 13,
  inString: 14,
  rowBytesMax: 15,
  used: 16,
} as const;

const SCAN_BYTES = 68;

/** How rows lie in the bytes: one a line, or values anyhow. */
export type RowLayout = "lines" | "values";

/** The kernel's row scan with its memory: columns, row places and faults, scratch. */
export class RowScanner {
  readonly columns: readonly Column[];
  /** Addresses of one u32, u32, u8, u32 per row. */
  readonly starts: number;
  readonly lengths: number;
  readonly faults: number;
  readonly faultPlaces: number;
  readonly #kernel: Kernel;
  readonly #fields: readonly FieldRequest[];
  readonly #layout: RowLayout;
  readonly #rowBytesMax: number;
  readonly #table: FieldTable;
  readonly #scan: number;
  readonly #scratch: Region;
  readonly #kept: Region;

  /** One that `leave` has left behind for the same rows, or a new one. */
  static take(
    kernel: Kernel,
    fields: readonly FieldRequest[],
    layout: RowLayout,
    rowBytesMax: number,
  ): RowScanner {
    const left = kernel.spares.take(
      RowScanner,
      (scanner) =>
        scanner.#fields === fields &&
        scanner.#layout === layout &&
        scanner.#rowBytesMax === rowBytesMax,
    );
    if (left === undefined) return new RowScanner(kernel, fields, layout, rowBytesMax);
    left.#set("inArray", 0);
    return left;
  }

  constructor(
    kernel: Kernel,
    fields: readonly FieldRequest[],
    layout: RowLayout,
    rowBytesMax: number,
  ) {
    this.#kernel = kernel;
    this.#fields = fields;
    this.#layout = layout;
    this.#rowBytesMax = rowBytesMax;
    this.#table = new FieldTable(kernel, fields);
    this.columns = this.#table.columns;
    this.starts = kernel.allocate(BATCH_ROWS_MAX * 4);
    this.lengths = kernel.allocate(BATCH_ROWS_MAX * 4);
    this.faults = kernel.allocate(BATCH_ROWS_MAX);
    this.faultPlaces = kernel.allocate(BATCH_ROWS_MAX * 4);
    this.#scan = kernel.allocate(SCAN_BYTES);
    this.#scratch = new Region(kernel, 0);
    this.#kept = new Region(kernel, 0);
    kernel.bytes.fill(0, this.#scan, this.#scan + SCAN_BYTES);
    this.#set("rowsMax", BATCH_ROWS_MAX);
    this.#set("rowBytesMax", rowBytesMax);
    this.#set("used", BATCH_ROWS_MAX);
    this.#set("root", this.#table.root);
    this.#set("starts", this.starts);
    this.#set("lengths", this.lengths);
    this.#set("faults", this.faults);
    this.#set("faultPlaces", this.faultPlaces);
  }

  /** Makes room for scanning windows of `bytes`; to be called before the window's address is used. */
  ensure(bytes: number): void {
    this.#scratch.ensure(bytes * this.#table.scratchFactor);
    this.#kept.ensure(bytes);
  }

  /**
   * Scans [start, end) into the columns. `cursor` is where the next scan goes on: at a row that is not
   * whole, where there is one.
   */
  scan(start: number, end: number, final: boolean): ScanResult {
    this.#set("cursor", start);
    this.#set("end", end);
    this.#set("final", final ? 1 : 0);
    this.#set("scratch", this.#scratch.address);
    this.#set("kept", this.#kept.address);
    const { run } = this.#kernel;
    if (this.#layout === "lines") run.scanLines(this.#scan);
    else run.scanValues(this.#scan);
    return { rows: this.#get("rows"), cursor: this.#get("cursor") };
  }

  /** Whether an array around the rows is open where the last scan stopped. */
  get inArray(): boolean {
    return this.#get("inArray") !== 0;
  }

  /** Makes row 0 a row that is longer than the limit, all cells null. */
  setLongRow(start: number, length: number): void {
    const { bytes, words } = this.#kernel;
    for (const column of this.columns) bytes[column.kinds] = cellKinds.null;
    words[this.starts / 4] = start;
    words[this.lengths / 4] = length;
    bytes[this.faults] = rejectCodes.row_too_long;
  }

  /** Begins to pass over a row that is too long; then `skip` until it says that the row ended. */
  startSkipping(): void {
    this.#set("depth", 0);
    this.#set("inString", 0);
  }

  skip(start: number, end: number, final: boolean): { ended: boolean; cursor: number } {
    this.#set("cursor", start);
    this.#set("end", end);
    this.#set("final", final ? 1 : 0);
    const ended = this.#kernel.run.skipLongRow(this.#scan) !== 0;
    return { ended, cursor: this.#get("cursor") };
  }

  /**
   * Instead of `free`: leaves it to the next source, whose rows mostly look like those of this one, with
   * what it has learnt of them. Memory that long rows have made large is not kept.
   */
  leave(): void {
    if (this.#kept.capacity > WINDOW_BYTES) this.free();
    else this.#kernel.spares.keep(this);
  }

  free(): void {
    this.#table.free();
    this.#scratch.free();
    this.#kept.free();
    for (const address of [this.starts, this.lengths, this.faults, this.faultPlaces, this.#scan]) {
      this.#kernel.free(address);
    }
  }

  #get(word: keyof typeof scanWords): number {
    return this.#kernel.words[this.#scan / 4 + scanWords[word]]!;
  }

  #set(word: keyof typeof scanWords, value: number): void {
    this.#kernel.words[this.#scan / 4 + scanWords[word]] = value;
  }
}

export interface ScanResult {
  readonly rows: number;
  readonly cursor: number;
}
