import { BATCH_ROWS_MAX, WINDOW_BYTES } from "../../base/limits.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { FieldRequest } from "../../batch/batch.js";
import { type Column, cellKinds } from "../../batch/column.js";
import { FieldTable } from "../../batch/field-table.js";
import { type Kernel, Region } from "../../batch/kernel.js";
import { KernelRecord } from "../../batch/kernel-record.js";
import { rowScanLayout } from "../../batch/layouts.js";

/** The layout of rows: one row per line, or values in any layout. */
export type RowLayout = "lines" | "values";

/** The kernel's row scan with its memory: columns, row positions, faults, scratch. */
export class RowScanner {
  readonly columns: readonly Column[];
  /** Addresses of one u32, u32, u8, u32 per row. */
  readonly starts: number;
  readonly lengths: number;
  readonly faults: number;
  readonly faultPositions: number;
  readonly #kernel: Kernel;
  readonly #fields: readonly FieldRequest[];
  readonly #layout: RowLayout;
  readonly #rowBytesMax: number;
  readonly #table: FieldTable;
  readonly #scan: KernelRecord<keyof typeof rowScanLayout.words>;
  readonly #scratch: Region;
  readonly #kept: Region;

  /** Takes a scanner for the same fields from the pool, or creates one. */
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
    for (const word of ["inArray", "commas", "commasWanted"] as const) left.#scan.set(word, 0);
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
    this.faultPositions = kernel.allocate(BATCH_ROWS_MAX * 4);
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
    this.#scan.set("faultPositions", this.faultPositions);
  }

  /** Makes room for windows of `bytes`; call it before the window's address is used. */
  ensure(bytes: number): void {
    this.#scratch.ensure(bytes * this.#table.scratchFactor);
    this.#kept.ensure(bytes);
  }

  /**
   * Scans [start, end) into the columns. The next scan starts at `cursor`, which is the start of an
   * incomplete row if there is one.
   */
  scan(start: number, end: number, final: boolean): JsonScan {
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

  /** The array around the rows was open when the last scan stopped. */
  get inArray(): boolean {
    const state = this.#scan.get("inArray");
    return state === 1 || state === 2;
  }

  /** Counts gaps between rows that the last scan found to have too many or too few commas. */
  get commaFaults(): number {
    return this.#scan.get("commaFaults");
  }

  /** Counts byte order marks that the last scan skipped. */
  get marks(): number {
    return this.#scan.get("marks");
  }

  /** The address after the first of these gaps. */
  get commaFaultPosition(): number {
    return this.#scan.get("commaFaultPosition");
  }

  /** Begins with the bytes inside an array that is a member of an object. */
  startInWrapper(): void {
    this.#scan.set("inArray", 2);
  }

  /** True if the scan stopped after the array in which `startInWrapper` began it. */
  get isAfterWrapped(): boolean {
    return this.#scan.get("inArray") === 3;
  }

  /** Makes row 0 a row that is too long, with null cells. */
  setLongRow(start: number, length: number): void {
    const { bytes, u32 } = this.#kernel;
    for (const column of this.columns) bytes[column.kinds] = cellKinds.null;
    u32[this.starts / 4] = start;
    u32[this.lengths / 4] = length;
    bytes[this.faults] = rejectCodes.row_too_long;
  }

  /** Starts to skip a row that is too long; call `skip` until the row has ended. */
  startSkipping(): void {
    this.#scan.set("depth", 0);
    this.#scan.set("inString", 0);
    this.#scan.set("commas", 0);
    // Any number, because the end of the row is not known yet.
    this.#scan.set("commasWanted", 2);
  }

  skip(start: number, end: number, final: boolean): { ended: boolean; cursor: number } {
    this.#scan.set("cursor", start);
    this.#scan.set("end", end);
    this.#scan.set("final", final ? 1 : 0);
    const ended = this.#kernel.run.skipLongRow(this.#scan.address) !== 0;
    return { ended, cursor: this.#scan.get("cursor") };
  }

  /**
   * Returns the scanner to the pool for the next source. It keeps its predictions of members,
   * because rows of sources mostly look alike. Memory that long rows have grown is freed.
   */
  release(): void {
    if (this.#kept.capacity > WINDOW_BYTES) this.free();
    else this.#kernel.pool.keep(this);
  }

  free(): void {
    this.#table.free();
    this.#scratch.free();
    this.#kept.free();
    this.#scan.free();
    for (const address of [this.starts, this.lengths, this.faults, this.faultPositions]) {
      this.#kernel.free(address);
    }
  }
}

interface JsonScan {
  readonly rows: number;
  readonly cursor: number;
}
