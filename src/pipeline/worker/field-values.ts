import type { Batch } from "../../batch/batch.js";
import { type Column, cellKinds } from "../../batch/column.js";
import type { FieldGroup } from "../../mapper/field-plan.js";
import type { FieldValues } from "../ledger/ledger-records.js";

/** Counts the rows of a split in which the groups of mapped fields have a value. */
export class FieldValueTally {
  readonly #filled: number[];
  readonly #missing: FieldValues["missing"][number][] = [];
  #rows = 0;
  #rangeRows = 0;
  #rangeFilled: number[];

  constructor(private readonly groups: readonly FieldGroup[]) {
    this.#filled = groups.map(() => 0);
    this.#rangeFilled = groups.map(() => 0);
  }

  take({ kernel, columns, rows }: Batch): void {
    this.#rangeRows += rows;
    this.groups.forEach(({ indexes }, group) => {
      const filled = indexes.map((index) => {
        const { kinds } = columns[index] as Column;
        return rows - kernel.run.countOutcomes(kinds, rows, cellKinds.null);
      });
      // A lower bound: the fields of a group may have values in different rows.
      this.#rangeFilled[group] = (this.#rangeFilled[group] ?? 0) + Math.max(0, ...filled);
    });
  }

  /** Ends a range of a source. */
  endRange(source: string): void {
    const rows = this.#rangeRows;
    const groups = this.#rangeFilled.flatMap((filled, group) => (filled === 0 ? [group] : []));
    if (groups.length > 0) this.#missing.push({ source, rows, groups });
    this.#rangeFilled.forEach((filled, group) => {
      this.#filled[group] = (this.#filled[group] ?? 0) + filled;
    });
    this.#rows += rows;
    this.#rangeRows = 0;
    this.#rangeFilled = this.groups.map(() => 0);
  }

  values(): FieldValues {
    return { rows: this.#rows, filled: this.#filled, missing: this.#missing };
  }
}
