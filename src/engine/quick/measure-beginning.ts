import { DECODE_CHUNK_BYTES, DECODE_FEED_BYTES, MIB } from "../../base/limits.js";
import { Kernel } from "../../batch/kernel.js";
import type { OpenReader } from "../../readers/reader.js";
import { isPlain, openBytes } from "../../sources/open-bytes.js";
import type { ReaderOptions } from "../../sources/read-options.js";
import type { FirstRows, Source } from "../../sources/source.js";

/** The first rows of a source that are read, and how precisely their size is known. */
interface Beginning extends FirstRows {
  /** Relative error of `bytes`. */
  readonly slack: number;
}

/** Compressed bytes from which the compression of a source is measured. */
const MEASURED_BYTES = 4 * MIB;

/**
 * Measures how many bytes on disk the first rows of a source take. Returns undefined for a source to read
 * as a whole: it has no more rows, or its rows have no positions. Throws `SourceError` if it cannot be
 * read so far.
 */
export async function measureBeginning(
  source: Source,
  rows: number,
  open: OpenReader,
  options: ReaderOptions,
): Promise<Beginning | undefined> {
  const offsets = await offsetsOf(source, rows, open, options);
  if (offsets === undefined) return undefined;
  const { first, after } = offsets;
  const { bytes, slack } = isPlain(source)
    ? { bytes: source.size, slack: 0 }
    : await measureContent(source, options);
  // Bytes before the first row, such as a header, are in no row.
  return { rows, bytes: (source.size * (after - first)) / Math.max(1, bytes - first), slack };
}

/** Returns the decompressed bytes at which the first row begins, and the one after the first ones. */
async function offsetsOf(
  source: Source,
  rows: number,
  open: OpenReader,
  options: ReaderOptions,
): Promise<{ readonly first: number; readonly after: number } | undefined> {
  const reader = await open(new Kernel(), { source, start: 0, end: null }, [], options);
  try {
    let passed = 0;
    let first: number | undefined;
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      if (passed === 0) first = batch.raw.offset(0);
      if (passed + batch.rows > rows) {
        const after = batch.raw.offset(rows - passed);
        return first === undefined || after === undefined ? undefined : { first, after };
      }
      passed += batch.rows;
    }
    return undefined;
  } finally {
    await reader.close();
  }
}

/** Returns the decompressed bytes of a source, by those of its beginning, and their relative error. */
async function measureContent(source: Source, options: ReaderOptions) {
  const bytes = await openBytes(source, 0, options);
  try {
    // Half of what a decoder may have read ahead: a block of zstd, or one read of the others.
    const ahead = (source.codecs.includes("zstd") ? DECODE_CHUNK_BYTES : DECODE_FEED_BYTES) / 2;
    const target = new Uint8Array(DECODE_CHUNK_BYTES);
    let decompressed = 0;
    for (;;) {
      const count = await bytes.read(target);
      decompressed += count;
      if (count === 0) return { bytes: decompressed, slack: 0 };
      const { consumed } = bytes;
      if (consumed >= MEASURED_BYTES)
        return {
          bytes: (source.size * decompressed) / (consumed - ahead),
          slack: ahead / consumed,
        };
    }
  } finally {
    await bytes.close();
  }
}
