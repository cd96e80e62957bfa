import { sum } from "../base/sum.js";
import { cutEnd, widthOf } from "./terminal-text.js";

/** A column is not made narrower than this. */
const WIDTH_MIN = 8;
/** Columns without a largest width become as narrow as this before others do. */
const OPEN_WIDTH_MIN = 20;
const GAP = "  ";

/** A column of a table of text, whose cells are safe to print. */
export interface TableColumn {
  readonly heading: string;
  /** Columns of the terminal that it may take; the others share what is left. */
  readonly widthMax?: number;
  readonly cells: readonly string[];
}

/** Returns the lines of a table, the headings first, in at most `width` columns if cells can be cut to it. */
export function tableLines(
  columns: readonly TableColumn[],
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  const wanted = columns.map(({ heading, cells, widthMax = Number.POSITIVE_INFINITY }) =>
    Math.min(
      widthMax,
      cells.reduce((most, cell) => Math.max(most, widthOf(cell)), widthOf(heading)),
    ),
  );
  const isOpen = columns.map(({ widthMax }) => widthMax === undefined);
  const widths = fit(wanted, isOpen, width - GAP.length * (columns.length - 1));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => padded(cutEnd(cell, widths[index] ?? 0), widths[index] ?? 0))
      .join(GAP)
      .trimEnd();
  const count = columns[0]?.cells.length ?? 0;
  return [
    line(columns.map(({ heading }) => heading)),
    ...Array.from({ length: count }, (_, row) =>
      line(columns.map(({ cells }) => cells[row] ?? "")),
    ),
  ];
}

/** Makes the widest columns narrower until all fit, the open ones first. */
function fit(
  wanted: readonly number[],
  isOpen: readonly boolean[],
  width: number,
): readonly number[] {
  const widths = [...wanted];
  const widestOf = (least: number, isAmong: (index: number) => boolean) =>
    widths.reduce<number | undefined>((widest, one, index) => {
      const isWider = widest === undefined || one > (widths[widest] ?? 0);
      return isAmong(index) && one > least && isWider ? index : widest;
    }, undefined);
  for (let over = sum(widths, (one) => one) - width; over > 0; over--) {
    const widest =
      widestOf(OPEN_WIDTH_MIN, (index) => isOpen[index] === true) ??
      widestOf(WIDTH_MIN, () => true);
    if (widest === undefined) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
