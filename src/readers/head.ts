import * as zlib from "node:zlib";
import { SourceError } from "../base/errors.js";
import { SNIFF_BYTES } from "../base/limits.js";
import { type OpenOptions, openBytes } from "./open-bytes.js";
import type { Codec, SourceBytes } from "./source.js";

/** The first bytes of a source. */
export interface Head {
  readonly bytes: Uint8Array;
  /** Whether these are all its bytes, so that nothing needs to be read again. */
  readonly complete: boolean;
}

/** Bytes that a small, completely known head may decompress to without a stream. */
const SMALL_DECODED_BYTES_MAX = 16 * SNIFF_BYTES;

/**
 * The first SNIFF_BYTES of a source, decompressed. Of one that breaks earlier, the bytes before the
 * break; throws what `openBytes` does where there are none.
 */
export async function readHead(source: SourceBytes, options: OpenOptions): Promise<Head> {
  const bytes = await openBytes(source, 0, options);
  const block = Buffer.allocUnsafe(SNIFF_BYTES);
  let length = 0;
  try {
    while (length < block.length) {
      const count = await bytes.read(block.subarray(length));
      if (count === 0) return { bytes: block.subarray(0, length), complete: true };
      length += count;
    }
  } catch (error) {
    if (length === 0 || !isBreak(error)) throw error;
  } finally {
    await bytes.close();
  }
  return { bytes: block.subarray(0, length), complete: false };
}

/**
 * What the whole, small content of a layer decompresses to: many times faster than a stream, which
 * counts where there are ten thousands of small files. Null where only a stream will do: zstd,
 * damaged data, or more output than is good for memory.
 */
export function decodeSmall(codec: Codec | "deflate", head: Head): Head | null {
  if (!head.complete || codec === "zstd") return null;
  const options = { maxOutputLength: SMALL_DECODED_BYTES_MAX };
  try {
    return { bytes: decodeNow(codec, head.bytes, options), complete: true };
  } catch {
    return null;
  }
}

function decodeNow(
  codec: Exclude<Codec, "zstd"> | "deflate",
  bytes: Uint8Array,
  options: zlib.ZlibOptions,
): Uint8Array {
  switch (codec) {
    case "gzip":
      return zlib.gunzipSync(bytes, options);
    case "deflate":
      return zlib.inflateRawSync(bytes, options);
    case "brotli":
      return zlib.brotliDecompressSync(bytes, options);
  }
}

function isBreak(error: unknown): boolean {
  return (
    error instanceof SourceError &&
    (error.code === "source_truncated" || error.code === "source_corrupt")
  );
}
