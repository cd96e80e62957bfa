import { nullTexts } from "../base/null-texts.js";
import { sum } from "../base/sum.js";
import type { Row, SampledSource } from "./sample-rows.js";
import type { NullText } from "./survey.js";

/** A column must have the text in at least two rows and in this share of all rows. */
const SHARE_MIN = 0.01;

/** Finds texts of CSV cells that are used as nulls. Other formats have their own nulls. */
export function findNullTexts(samples: readonly SampledSource[]): readonly NullText[] {
  const rows = samples
    .filter(({ source }) => source.format.kind === "csv")
    .flatMap((sample) => sample.rows);
  const enough = Math.max(2, rows.length * SHARE_MIN);
  return nullTexts.flatMap((text) => {
    const counts = countCells(rows, text);
    const used = [...counts].filter(([, count]) => count >= enough);
    if (used.length === 0) return [];
    const cells = sum(used, ([, count]) => count);
    return { text, columns: used.map(([column]) => column), cells };
  });
}

function countCells(rows: readonly Row[], text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows)
    for (const [column, value] of Object.entries(row))
      if (value === text) counts.set(column, (counts.get(column) ?? 0) + 1);
  return counts;
}
