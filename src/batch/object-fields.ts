import type { FieldRequest } from "./batch.js";
import type { Column } from "./column.js";
import { FieldTable } from "./field-table.js";
import { type Kernel, Region } from "./kernel.js";

/**
 * Extracts fields from columns whose cells hold JSON objects, or text that is a JSON object: what
 * tabular readers need for a path that goes on inside a cell. Cells that hold no (well-formed)
 * object give null. Paths are relative to the cell; a `rest` with path `[]` is the cell's own object.
 */
export class ObjectFields {
  readonly #table: FieldTable;
  readonly #scratch: Region;
  readonly #kept: Region;

  constructor(
    private readonly kernel: Kernel,
    requests: readonly FieldRequest[],
  ) {
    this.#table = new FieldTable(kernel, requests);
    this.#scratch = new Region(kernel, 0);
    this.#kept = new Region(kernel, 0);
  }

  /** One column for each request; valid until the next call. */
  extract(cells: Column, rows: number): readonly Column[] {
    const bytes = cells.totalBytes(rows);
    this.#scratch.ensure(bytes * this.#table.scratchFactor);
    this.#kept.ensure(bytes);
    this.kernel.run.setScratch(this.#scratch.address, this.#kept.address);
    this.kernel.run.scanCells(cells.address, rows, this.#table.root);
    return this.#table.columns;
  }

  free(): void {
    this.#table.free();
    this.#scratch.free();
    this.#kept.free();
  }
}
