import { isPlain } from "../open-bytes.js";
import type { Source, SourceRange } from "../source.js";
import { readFooter } from "./footer.js";
import { RandomAccess, type RandomAccessOptions } from "./random-access.js";

/**
 * Groups the row groups of a source to ranges of about `splitBytes` of compressed size. `start` and `end`
 * count row groups. A source without row groups has one empty range. A file that is smaller than a range
 * is one range and is not opened, which would take 0.17 ms. Throws `SourceError` if a larger file cannot
 * be opened or its footer cannot be read.
 */
export async function planParquetRanges(
  source: Source,
  splitBytes: number,
  options: RandomAccessOptions,
): Promise<readonly SourceRange[]> {
  if (isPlain(source) && source.size <= splitBytes) return [{ source, start: 0, end: null }];
  const file = await RandomAccess.open(source, options);
  try {
    const { rowGroups } = await readFooter(file);
    const sizes = rowGroups.map((group) => group.compressedSize);
    const groups = sizes.length === 0 ? [{ start: 0, end: 0 }] : groupSizes(sizes, splitBytes);
    return groups.map(({ start, end }) => ({ source, start, end }));
  } finally {
    await file.close();
  }
}

/** Returns runs of neighbours, each ending as soon as its sizes reach `target`. */
function groupSizes(
  sizes: readonly number[],
  target: number,
): readonly { start: number; end: number }[] {
  const groups: { start: number; end: number }[] = [];
  let start = 0;
  let total = 0;
  for (const [index, size] of sizes.entries()) {
    total += size;
    if (total < target) continue;
    groups.push({ start, end: index + 1 });
    start = index + 1;
    total = 0;
  }
  if (start < sizes.length) groups.push({ start, end: sizes.length });
  return groups;
}
