import { sum } from "../base/sum.js";
import { Column, cellKinds } from "../batch/column.js";
import { type Kernel, LOOSE_BYTES, Region, storeText, storeTexts } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { nullTextsLayout } from "../batch/layouts.js";
import { changedBytesMax, textChanges } from "../batch/text-changes.js";
import { otherIndex } from "./field-plan.js";
import type { FieldSource, TextReading } from "./field-schemas.js";

interface CellCandidate {
  readonly index: number;
  /** Address of the kernels' `NullTexts`. */
  readonly nulls: number;
  /** Index of the column that it is compared or joined with. */
  readonly other: number | undefined;
  readonly isJoined: boolean;
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
    this.#candidates = choices.map((source, choice) => {
      const { unlessPrefix = "", unless = [], joinedWith, names = {}, ...reading } = source;
      const isJoined = joinedWith !== undefined;
      const named = Object.entries(names).flat();
      const namesStart = storeTexts(kernel, named);
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
        isJoined: isJoined ? 1 : 0,
        names: namesStart,
        namesEnd: namesStart + named.length * 8,
      });
      const other = otherIndex(choices, indexes, choice);
      return { index: indexes[choice] as number, nulls, other, isJoined, changes };
    });
    this.column = new Column(kernel);
  }

  take(columns: readonly Column[], rows: number): void {
    const run = this.#kernel.run;
    if (this.#candidates.length === 0) run.clearCells(this.column.address, rows);
    this.#changed.ensure(sum(this.#candidates, (one) => writtenBytesMax(one, columns, rows)));
    let scratch = this.#changed.address;
    this.#candidates.forEach((candidate, index) => {
      const { other } = candidate;
      scratch = run.takeCells(
        this.column.address,
        (columns[candidate.index] as Column).address,
        rows,
        index === 0 ? 1 : 0,
        candidate.nulls,
        other === undefined ? 0 : (columns[other] as Column).address,
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
    const texts = [candidate, compared];
    const copy = (to: Column, index: number) => {
      const from = columns[index] as Column;
      const { u32 } = this.#kernel;
      to.set(0, from.kind(row), u32[from.starts / 4 + row]!, u32[from.lengths / 4 + row]!);
      return to.address;
    };
    const index = this.#candidates.findIndex((one) => {
      const source = copy(candidate, one.index);
      const other = one.other === undefined ? 0 : copy(compared, one.other);
      changed.ensure(writtenBytesMax({ ...one, index: 0, other: 1 }, texts, 1));
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

/** Returns the bytes that the texts of a candidate which are not those of its column take at most. */
function writtenBytesMax(
  { index, other, isJoined, changes }: CellCandidate,
  columns: readonly Column[],
  rows: number,
): number {
  const column = columns[index] as Column;
  if (!isJoined || other === undefined) return changes === 0 ? 0 : changedBytesMax(column, rows);
  return column.totalBytes(rows) + (columns[other] as Column).totalBytes(rows) + rows + LOOSE_BYTES;
}

const bitsOf = { json: textChanges.fromJson, integer: textChanges.asInteger } as const;

function changesOf({ as = [], trim = false }: TextReading, areTokens: boolean): number {
  const changes = [as].flat().reduce<number>((all, one) => all | bitsOf[one], 0);
  const all = trim ? changes | textChanges.trim : changes;
  return all !== 0 && areTokens ? all | textChanges.token : all;
}
