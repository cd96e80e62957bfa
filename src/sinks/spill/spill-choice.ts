import { LARGE_DAY_SHARE, ORDERED_DAY_ROWS_MIN, SEGMENT_DAYS_MAX } from "../../base/limits.js";
import type { DayRows } from "../day-order.js";

/** Which days of a segment become parts of their split, and which wait to be merged with other splits. */
export interface SpillChoice {
  readonly written: readonly DayRows[];
  readonly spilled: readonly DayRows[];
}

/**
 * Where a segment holds rows of many days, those of which it has few are spilled, unless they lie in
 * order: then other splits have none of them, and there is nothing to merge. `order` has the row number
 * at each place. A function of the segment alone, so that the output does not depend on threads.
 */
export function chooseSpilled(days: readonly DayRows[], order: Uint32Array): SpillChoice {
  if (days.length <= SEGMENT_DAYS_MAX) return { written: days, spilled: [] };
  const rows = days.at(-1)?.end ?? 0;
  const isWritten = (day: DayRows) =>
    (day.end - day.start) * LARGE_DAY_SHARE >= rows || liesInOrder(day, order);
  return { written: days.filter(isWritten), spilled: days.filter((day) => !isWritten(day)) };
}

/**
 * Whether the middle half of a day's rows lies within as many rows of the segment as the day has. Rows
 * that come late, or rows of other days in between, do not change that; no order at all does.
 */
function liesInOrder({ start, end }: DayRows, order: Uint32Array): boolean {
  const rows = end - start;
  if (rows < ORDERED_DAY_ROWS_MIN) return false;
  const first = order[start + Math.floor(rows / 4)]!;
  const last = order[start + Math.floor((rows * 3) / 4)]!;
  return last - first < rows;
}
