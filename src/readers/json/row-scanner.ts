import { BATCH_ROWS_MAX, WINDOW_BYTES } from "../../base/limits.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { FieldRequest } from "../../batch/batch.js";
import { type Column, cellKinds } from "../../batch/column.js";
import { FieldTable } from "../../batch/field-table.js";
import { type Kernel, Region } from "../../batch/kernel.js";
import { KernelRecord } from "../../batch/kernel-record.js";
import { rowScanLayout } from "../../batch/layouts.js";

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
  readonly #scan: KernelRecord<keyof typeof rowScanLayout.words>;
  readonly #scratch: Region;
  readonly #kept: Region;

  /** One that `leave` has left behind for the same rows, or a new one. */
  static take(
    kernel: Kernel,
    fields: readonly FieldRequest[],
    layout: RowLayout,
    rowBytesMax: number,
  ): RowScanner {
    const left = kernel.pool.take(
      RowScanner,
      (scanner) =>
        scanner.#fields === fields &&
        scanner.#layout === layout &&
        scanner.#rowBytesMax === rowBytesMax,
    );
    if (left === undefined) return new RowScanner(kernel, fields, layout, rowBytesMax);
    left.#scan.set("inArray", 0);
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
    this.#scan = new KernelRecord(kernel, rowScanLayout);
    this.#scratch = new Region(kernel, 0);
    this.#kept = new Region(kernel, 0);
    this.#scan.set("rowsMax", BATCH_ROWS_MAX);
    this.#scan.set("rowBytesMax", rowBytesMax);
    this.#scan.set("used", BATCH_ROWS_MAX);
    this.#scan.set("root", this.#table.root);
    this.#scan.set("starts", this.starts);
    this.#scan.set("lengths", this.lengths);
    this.#scan.set("faults", this.faults);
    this.#scan.set("faultPlaces", this.faultPlaces);
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
    this.#scan.set("cursor", start);
    this.#scan.set("end", end);
    this.#scan.set("final", final ? 1 : 0);
    this.#scan.set("scratch", this.#scratch.address);
    this.#scan.set("kept", this.#kept.address);
    const { run } = this.#kernel;
    if (this.#layout === "lines") run.scanLines(this.#scan.address);
    else run.scanValues(this.#scan.address);
    return { rows: this.#scan.get("rows"), cursor: this.#scan.get("cursor") };
  }

  /** Whether an array around the rows is open where the last scan stopped. */
  get inArray(): boolean {
    return this.#scan.get("inArray") !== 0;
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
    this.#scan.set("depth", 0);
    this.#scan.set("inString", 0);
  }

  skip(start: number, end: number, final: boolean): { ended: boolean; cursor: number } {
    this.#scan.set("cursor", start);
    this.#scan.set("end", end);
    this.#scan.set("final", final ? 1 : 0);
    const ended = this.#kernel.run.skipLongRow(this.#scan.address) !== 0;
    return { ended, cursor: this.#scan.get("cursor") };
  }

  /**
   * Instead of `free`: leaves it to the next source, whose rows mostly look like those of this one, with
   * what it has learnt of them. Memory that long rows have made large is not kept.
   */
  leave(): void {
    if (this.#kept.capacity > WINDOW_BYTES) this.free();
    else this.#kernel.pool.keep(this);
  }

  free(): void {
    this.#table.free();
    this.#scratch.free();
    this.#kept.free();
    this.#scan.free();
    for (const address of [this.starts, this.lengths, this.faults, this.faultPlaces]) {
      this.#kernel.free(address);
    }
  }
}

export interface ScanResult {
  readonly rows: number;
  readonly cursor: number;
}
