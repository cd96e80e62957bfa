import { isPlain } from "../open-bytes.js";
import type { Source, SourceRange } from "../source.js";
import { readFooter } from "./footer.js";
import { RandomAccess, type RandomAccessOptions } from "./random-access.js";

/**
 * Uncompressed bytes of pages that take as long as one byte of a range. Codecs compress by 3 to 20 times, so
 * sizes on disk say little about the time that a row group takes.
 */
const UNCOMPRESSED_PER_BYTE = 2;
/** A file is not opened to cut it, which takes 0.17 ms, if it would be one range at this compression. */
const COMPRESSION_GUESS = 4;

/**
 * Cuts the row groups of a source into ranges of about the same size, at most about `splitBytes`. `start`
 * and `end` count row groups. A source without row groups has one empty range. Throws `SourceError` if the
 * file cannot be opened or its footer cannot be read.
 */
export async function planParquetRanges(
  source: Source,
  splitBytes: number,
  options: RandomAccessOptions,
): Promise<readonly SourceRange[]> {
  // A packed source is unpacked again for each range.
  const isPacked = !isPlain(source);
  if (!isPacked && source.size * COMPRESSION_GUESS <= splitBytes * UNCOMPRESSED_PER_BYTE) {
    return [{ source, start: 0, end: null }];
  }
  const file = await RandomAccess.open(source, options);
  try {
    const { rowGroups } = await readFooter(file);
    const sizes = rowGroups.map(({ compressedSize, chunks }) => {
      const uncompressedSize = chunks.reduce((sum, chunk) => sum + chunk.uncompressedSize, 0);
      return isPacked
        ? compressedSize
        : Math.max(compressedSize, uncompressedSize / UNCOMPRESSED_PER_BYTE);
    });
    return cutEvenly(sizes, splitBytes).map((range) => ({ source, ...range }));
  } finally {
    await file.close();
  }
}

/** Returns runs of neighbours: as few as have sizes of at most `target`, all of about the same size. */
function cutEvenly(
  sizes: readonly number[],
  target: number,
): readonly { start: number; end: number }[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const step = total / Math.max(1, Math.ceil(total / target));
  const groups: { start: number; end: number }[] = [];
  let start = 0;
  let passed = 0;
  for (const [index, size] of sizes.entries()) {
    passed += size;
    // Half a group more or less is nearest to the step.
    const next = sizes[index + 1] ?? 0;
    if (passed + next / 2 < step * (groups.length + 1)) continue;
    groups.push({ start, end: index + 1 });
    start = index + 1;
  }
  if (start < sizes.length || sizes.length === 0) groups.push({ start, end: sizes.length });
  return groups;
}
