import { Column } from "../batch/column.js";
import type { Kernel } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { nullTextsLayout } from "../batch/layouts.js";
import { comparedIndex } from "./field-plan.js";
import { storeText, storeTexts } from "./kernel-constant.js";
import type { FieldSource } from "./mapping.js";

interface Candidate {
  readonly index: number;
  /** Address of the kernels' `NullTexts`. */
  readonly nulls: number;
  /** Index of the column that it is compared with. */
  readonly compared: number | undefined;
}

/** A target filled from the first of its fields that is not null. */
export class CellTarget {
  readonly column: Column;
  readonly #kernel: Kernel;
  readonly #candidates: readonly Candidate[];

  /** `indexes` are those of the choices' columns in the batch, as in a `FieldPlan`. */
  constructor(
    kernel: Kernel,
    choices: readonly FieldSource[],
    indexes: readonly number[],
    options: { readonly emptyIsNull: boolean },
  ) {
    this.#kernel = kernel;
    this.#candidates = choices.map(({ unlessPrefix = "", unless = [] }, choice) => {
      const prefix = storeText(kernel, unlessPrefix);
      const texts = storeTexts(kernel, unless);
      const nulls = placeRecord(kernel, nullTextsLayout, {
        empty: options.emptyIsNull ? 1 : 0,
        prefix: prefix.address,
        prefixLength: prefix.length,
        texts,
        textsEnd: texts + unless.length * 8,
      });
      const compared = comparedIndex(choices, indexes, choice);
      return { index: indexes[choice] as number, nulls, compared };
    });
    this.column = new Column(kernel);
  }

  take(columns: readonly Column[], rows: number): void {
    const run = this.#kernel.run;
    if (this.#candidates.length === 0) run.clearCells(this.column.address, rows);
    this.#candidates.forEach((candidate, index) => {
      const { compared } = candidate;
      run.takeCells(
        this.column.address,
        (columns[candidate.index] as Column).address,
        rows,
        index === 0 ? 1 : 0,
        candidate.nulls,
        compared === undefined ? 0 : (columns[compared] as Column).address,
      );
    });
  }
}
