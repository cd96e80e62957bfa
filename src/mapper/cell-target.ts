import { sum } from "../base/sum.js";
import { Column, cellKinds } from "../batch/column.js";
import { type Kernel, Region, storeText, storeTexts } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { nullTextsLayout } from "../batch/layouts.js";
import { changedBytesMax, textChanges } from "../batch/text-changes.js";
import { comparedIndex } from "./field-plan.js";
import type { FieldSource, TextReading } from "./mapping.js";

interface CellCandidate {
  readonly index: number;
  /** Address of the kernels' `NullTexts`. */
  readonly nulls: number;
  /** Index of the column that it is compared with. */
  readonly compared: number | undefined;
  /** Bits of `textChanges`. */
  readonly changes: number;
}

interface CellOptions {
  readonly emptyIsNull: boolean;
  /** Cells are JSON tokens. */
  readonly areTokens?: boolean;
}

/** A target filled from the first of its fields that is not null. */
export class CellTarget {
  readonly column: Column;
  readonly #kernel: Kernel;
  readonly #candidates: readonly CellCandidate[];
  /** Texts that were changed. */
  readonly #changed: Region;
  #probe: CellProbe | undefined;

  /** `indexes` are those of the choices' columns in the batch, as in a `FieldPlan`. */
  constructor(
    kernel: Kernel,
    choices: readonly FieldSource[],
    indexes: readonly number[],
    { emptyIsNull, areTokens = false }: CellOptions,
  ) {
    this.#kernel = kernel;
    this.#changed = new Region(kernel, 0);
    this.#candidates = choices.map(({ unlessPrefix = "", unless = [], ...reading }, choice) => {
      const prefix = storeText(kernel, unlessPrefix);
      const texts = storeTexts(kernel, unless);
      const changes = changesOf(reading, areTokens);
      const nulls = placeRecord(kernel, nullTextsLayout, {
        empty: emptyIsNull ? 1 : 0,
        prefix: prefix.address,
        prefixLength: prefix.length,
        texts,
        textsEnd: texts + unless.length * 8,
        changes,
      });
      const compared = comparedIndex(choices, indexes, choice);
      return { index: indexes[choice] as number, nulls, compared, changes };
    });
    this.column = new Column(kernel);
  }

  take(columns: readonly Column[], rows: number): void {
    const run = this.#kernel.run;
    if (this.#candidates.length === 0) run.clearCells(this.column.address, rows);
    const changing = this.#candidates.filter(({ changes }) => changes !== 0);
    this.#changed.ensure(
      sum(changing, ({ index }) => changedBytesMax(columns[index] as Column, rows)),
    );
    let scratch = this.#changed.address;
    this.#candidates.forEach((candidate, index) => {
      const { compared } = candidate;
      scratch = run.takeCells(
        this.column.address,
        (columns[candidate.index] as Column).address,
        rows,
        index === 0 ? 1 : 0,
        candidate.nulls,
        compared === undefined ? 0 : (columns[compared] as Column).address,
        scratch,
      );
    });
  }

  /**
   * Returns the index of the choice that fills a row; undefined if all are null. The kernel decides again,
   * for this row alone.
   */
  choice(columns: readonly Column[], row: number): number | undefined {
    this.#probe ??= new CellProbe(this.#kernel);
    const { cell, candidate, compared, changed } = this.#probe;
    const copy = (to: Column, index: number) => {
      const from = columns[index] as Column;
      const { u32 } = this.#kernel;
      to.set(0, from.kind(row), u32[from.starts / 4 + row]!, u32[from.lengths / 4 + row]!);
      return to.address;
    };
    const index = this.#candidates.findIndex((one) => {
      const source = copy(candidate, one.index);
      changed.ensure(changedBytesMax(candidate, 1));
      const other = one.compared === undefined ? 0 : copy(compared, one.compared);
      this.#kernel.run.takeCells(cell.address, source, 1, 1, one.nulls, other, changed.address);
      return cell.kind(0) !== cellKinds.null;
    });
    return index < 0 ? undefined : index;
  }
}

/** Columns of one row. */
class CellProbe {
  readonly cell: Column;
  readonly candidate: Column;
  readonly compared: Column;
  readonly changed: Region;

  constructor(kernel: Kernel) {
    this.cell = new Column(kernel, 1);
    this.candidate = new Column(kernel, 1);
    this.compared = new Column(kernel, 1);
    this.changed = new Region(kernel, 0);
  }
}

const bitsOf = { json: textChanges.fromJson, integer: textChanges.asInteger } as const;

function changesOf({ as = [], trim = false }: TextReading, areTokens: boolean): number {
  const changes = [as].flat().reduce<number>((all, one) => all | bitsOf[one], 0);
  const all = trim ? changes | textChanges.trim : changes;
  return all !== 0 && areTokens ? all | textChanges.token : all;
}
