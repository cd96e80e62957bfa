import type { Column } from "../batch/column.js";
import type { Kernel } from "../batch/kernel.js";
import { CellTarget } from "./cell-target.js";
import { EventFilter } from "./event-filter.js";
import type { RowFilter } from "./mapping.js";

/** Leaves out the rows that are no events, by the text of one of their fields. */
export class FieldFilter {
  readonly #cells: CellTarget;
  readonly #names: EventFilter;

  /** `indexes` has the place of the field's column in the batch. */
  constructor(kernel: Kernel, filter: RowFilter, indexes: readonly number[]) {
    this.#cells = new CellTarget(kernel, [filter], indexes, { emptyIsNull: true });
    this.#names = new EventFilter(kernel, filter.include, filter.exclude);
  }

  /** Marks the rows that are left out as filtered. */
  apply(columns: readonly Column[], rows: number, outcomes: number): void {
    this.#cells.take(columns, rows);
    this.#names.apply(this.#cells.column, rows, outcomes);
  }
}
