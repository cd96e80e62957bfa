import { Column } from "../batch/column.js";
import type { Kernel } from "../batch/kernel.js";
import { placeText } from "./kernel-constant.js";
import type { ResolvedField } from "./mapping.js";

interface Candidate {
  readonly index: number;
  readonly prefix: number;
  readonly prefixLength: number;
}

/** A target that takes the first of its fields that is not null. */
export class CellTarget {
  readonly column: Column;
  readonly #kernel: Kernel;
  readonly #candidates: readonly Candidate[];
  readonly #emptyIsNull: number;

  /** `indexes` are the places of the choices' columns in the batch. */
  constructor(
    kernel: Kernel,
    choices: readonly ResolvedField[],
    indexes: readonly number[],
    options: { readonly emptyIsNull: boolean },
  ) {
    this.#kernel = kernel;
    this.#emptyIsNull = options.emptyIsNull ? 1 : 0;
    this.#candidates = choices.map(({ unlessPrefix = "" }, place) => {
      const prefix = placeText(kernel, unlessPrefix);
      return {
        index: indexes[place] as number,
        prefix: prefix.address,
        prefixLength: prefix.length,
      };
    });
    this.column = new Column(kernel);
  }

  take(columns: readonly Column[], rows: number): void {
    const run = this.#kernel.run;
    if (this.#candidates.length === 0) run.clearCells(this.column.address, rows);
    this.#candidates.forEach(({ index, prefix, prefixLength }, place) => {
      const candidate = (columns[index] as Column).address;
      const first = place === 0 ? 1 : 0;
      run.takeCells(
        this.column.address,
        candidate,
        rows,
        first,
        this.#emptyIsNull,
        prefix,
        prefixLength,
      );
    });
  }
}
