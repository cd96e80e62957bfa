import type { FirstRows, Source } from "../sources/source.js";
import { type LimitOptions, type PlanningOptions, rangeSources } from "./change-plan.js";
import type { RangedSource } from "./plan.js";

/** The ranges that hold the first rows of the inputs. */
interface LimitedRanges {
  readonly ranged: readonly RangedSource[];
  /** The limit, and whether the inputs have more rows. */
  readonly limit: { readonly rows: number; readonly partial: boolean };
}

/**
 * Counts the rows of the sources, in their order, and cuts the ranges after the last row of the
 * limit. The ranges are those of all sources if these have at most as many rows.
 */
export async function limitRanges(
  sources: readonly Source[],
  splitBytes: number,
  planning: Pick<PlanningOptions, "planRanges" | "signal"> & { readonly limit: LimitOptions },
): Promise<LimitedRanges> {
  const { limit } = planning;
  const countRows = await limit.openCounter();
  const ranged: RangedSource[] = [];
  let left = limit.rows;
  /** The ranges up to the one that ends with the last row of the limit. */
  let reached: readonly RangedSource[] | undefined;
  for (const source of sources) {
    const [whole] = [...(await rangeSources([source], splitBytes, planning))];
    if (whole === undefined) continue;
    for (const [index, range] of whole.ranges.entries()) {
      const { rows, bytes } = await countRows(range, left + 1);
      if (rows > left) {
        const first = { rows: left, bytes: Math.round((bytes * left) / rows) };
        const cut = reached ?? [...ranged, cutRanges(whole, index, first)];
        return { ranged: cut, limit: { rows: limit.rows, partial: true } };
      }
      left -= rows;
      if (left === 0) reached ??= [...ranged, cutRanges(whole, index)];
    }
    ranged.push(whole);
  }
  return { ranged, limit: { rows: limit.rows, partial: false } };
}

/** Returns a source with its ranges up to the one at `index`, of which only some rows may be read. */
function cutRanges({ source, ranges }: RangedSource, index: number, first?: FirstRows) {
  const kept = ranges.slice(0, index + 1);
  const cut = kept.map((range, at) =>
    at === index && first !== undefined ? { ...range, first } : range,
  );
  return { source, ranges: cut, end: ranges.at(-1)?.end ?? null };
}
