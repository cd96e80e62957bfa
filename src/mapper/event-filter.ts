import type { Column } from "../batch/column.js";
import { type Kernel, storeTexts } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { filterLayout, slotLayout } from "../batch/layouts.js";
import { CellTarget } from "./cell-target.js";
import type { RowFilter } from "./mapping.js";

/** A power of two: four times the distinct names that the largest tools allow in a project. */
const SLOTS = 8_192;
/** Names whose result is cached; further ones are matched again on every row. */
const NAMES_MAX = 4_096;
const NAME_BYTES_MAX = 256 * 1024;

/** Filters events by name. In patterns `*` is any text and `?` any character. Excludes win. */
export class EventFilter {
  readonly #kernel: Kernel;
  readonly #address: number;

  /** Empty `includes` include every name. */
  constructor(kernel: Kernel, includes: readonly string[], excludes: readonly string[]) {
    this.#kernel = kernel;
    const slots = kernel.allocate(SLOTS * slotLayout.bytes);
    kernel.bytes.fill(0, slots, slots + SLOTS * slotLayout.bytes);
    const names = kernel.allocate(NAME_BYTES_MAX);
    const included = storeTexts(kernel, includes);
    const excluded = storeTexts(kernel, excludes);
    this.#address = placeRecord(kernel, filterLayout, {
      includes: included,
      includesEnd: included + includes.length * 8,
      excludes: excluded,
      excludesEnd: excluded + excludes.length * 8,
      slots,
      slotMask: SLOTS - 1,
      slotsLeft: NAMES_MAX,
      names,
      namesEnd: names + NAME_BYTES_MAX,
    });
  }

  /** Marks the rows whose name does not pass as filtered. */
  apply(names: Column, rows: number, outcomes: number): void {
    this.#kernel.run.filterEvents(this.#address, outcomes, names.address, rows);
  }
}

/** Filters rows that are not events, by the text of one field. */
export class FieldFilter {
  readonly #cells: CellTarget;
  readonly #names: EventFilter;

  /** `indexes` holds the index of the field's column in the batch. */
  constructor(kernel: Kernel, filter: RowFilter, indexes: readonly number[]) {
    this.#cells = new CellTarget(kernel, [filter], indexes, { emptyIsNull: true });
    this.#names = new EventFilter(kernel, filter.include, filter.exclude);
  }

  /** Marks the rows that do not pass as filtered. */
  apply(columns: readonly Column[], rows: number, outcomes: number): void {
    this.#cells.take(columns, rows);
    this.#names.apply(this.#cells.column, rows, outcomes);
  }
}
