import { sum } from "../base/sum.js";
import { isPlain } from "../sources/open-bytes.js";
import type { Source, SourceRange } from "../sources/source.js";
import { type RowGroup, readFooter } from "./footer.js";
import { RandomAccess, type RandomAccessOptions } from "./random-access.js";

/**
 * A row group weighs its bytes on disk, but at least its uncompressed bytes divided by this. Codecs compress
 * 3 to 20 times, so the size on disk alone says little about the time that reading takes.
 */
const UNCOMPRESSED_DIVISOR = 2;

/**
 * Cuts the row groups of a source into ranges of about the same weight, at most about `splitBytes`. `start`
 * and `end` count row groups. A source without row groups has one empty range. A file of up to half of
 * `splitBytes` is one range and is not opened, which would take 0.17 ms. Throws `SourceError` if a larger
 * file cannot be opened or its footer cannot be read.
 */
export async function planParquetRanges(
  source: Source,
  splitBytes: number,
  options: RandomAccessOptions,
): Promise<readonly SourceRange[]> {
  const canSeek = isPlain(source);
  if (canSeek && source.size <= splitBytes / 2) return [{ source, start: 0, end: null }];
  const file = await RandomAccess.open(source, options);
  try {
    const { rowGroups } = await readFooter(file);
    // Other sources are unpacked again for each range, so these are few.
    const weights = rowGroups.map((group) => (canSeek ? weigh(group) : group.compressedSize));
    return cutEvenly(weights, splitBytes).map((range) => ({ source, ...range }));
  } finally {
    await file.close();
  }
}

/** Returns the rows of each row group of a source. Throws `SourceError` if its footer cannot be read. */
export async function readGroupRows(
  source: Source,
  options: RandomAccessOptions,
): Promise<readonly number[]> {
  const file = await RandomAccess.open(source, options);
  try {
    return (await readFooter(file)).rowGroups.map(({ rows }) => rows);
  } finally {
    await file.close();
  }
}

function weigh({ compressedSize, chunks }: RowGroup): number {
  const uncompressedSize = sum(chunks, (chunk) => chunk.uncompressedSize);
  return Math.max(compressedSize, uncompressedSize / UNCOMPRESSED_DIVISOR);
}

/**
 * Returns runs of neighbours, as many as `total / target` rounded up or fewer. Each ends
 * where the weight so far is nearest to its share.
 */
function cutEvenly(
  weights: readonly number[],
  target: number,
): readonly { start: number; end: number }[] {
  const total = sum(weights, (weight) => weight);
  const share = total / Math.max(1, Math.ceil(total / target));
  const runs: { start: number; end: number }[] = [];
  let start = 0;
  let passed = 0;
  for (const [index, weight] of weights.entries()) {
    passed += weight;
    const next = weights[index + 1] ?? 0;
    if (passed + next / 2 < share * (runs.length + 1)) continue;
    runs.push({ start, end: index + 1 });
    start = index + 1;
  }
  if (start < weights.length || weights.length === 0) runs.push({ start, end: weights.length });
  return runs;
}
