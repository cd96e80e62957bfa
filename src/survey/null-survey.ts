import { nullTexts } from "../base/null-texts.js";
import type { Row, SampledSource } from "./sample-rows.js";

/** A text of CSV cells that probably means null. */
export interface NullText {
  readonly text: string;
  /** Columns in which it occurs often enough. */
  readonly columns: readonly string[];
  /** Cells of these columns in the sampled rows. */
  readonly cells: number;
}

/** A column has the text in two rows and in this share of all, at least. */
const SHARE_MIN = 0.01;

/** Finds texts of CSV cells that are used as nulls. Other formats have nulls of their own. */
export function findNullTexts(samples: readonly SampledSource[]): readonly NullText[] {
  const rows = samples
    .filter(({ source }) => source.format.kind === "csv")
    .flatMap((sample) => sample.rows);
  const enough = Math.max(2, rows.length * SHARE_MIN);
  return nullTexts.flatMap((text) => {
    const counts = countCells(rows, text);
    const used = [...counts].filter(([, count]) => count >= enough);
    if (used.length === 0) return [];
    const cells = used.reduce((sum, [, count]) => sum + count, 0);
    return { text, columns: used.map(([column]) => column), cells };
  });
}

function countCells(rows: readonly Row[], text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) {
      if (value === text) counts.set(column, (counts.get(column) ?? 0) + 1);
    }
  }
  return counts;
}
