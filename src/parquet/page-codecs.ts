import { brotliDecompressSync } from "node:zlib";
import { ZstdDecoder } from "../base/zstd-decoder.js";
import type { ZstdExports } from "../base/zstd-library.js";
import type { Kernel } from "../batch/kernel.js";
import type { ColumnChunk } from "./footer.js";
import { GzipPages } from "./gzip-pages.js";
import { decompressHadoopLz4, decompressLz4 } from "./lz4-pages.js";
import type { Block, Bytes, PageMemory } from "./page-memory.js";
import type { Page } from "./page-reader.js";
import { PageError } from "./parquet-errors.js";

/** CompressionCodec of parquet.thrift. */
const codecs = {
  uncompressed: 0,
  snappy: 1,
  gzip: 2,
  lzo: 3,
  brotli: 4,
  lz4: 5,
  zstd: 6,
  lz4Raw: 7,
} as const;

/** True if one of these columns needs the zstd library. */
export function needsZstd(chunks: readonly Pick<ColumnChunk, "codec">[]): boolean {
  return chunks.some(({ codec }) => codec === codecs.zstd);
}

/** Decompresses pages in kernel memory. */
export class PageCodecs {
  readonly #gzip: GzipPages;
  readonly #zstd: ZstdDecoder | undefined;

  constructor(
    private readonly kernel: Kernel,
    zstd: ZstdExports | undefined,
  ) {
    this.#gzip = new GzipPages(kernel);
    this.#zstd = zstd === undefined ? undefined : new ZstdDecoder(zstd);
  }

  /** Decompresses the body of a page to a new block. Throws `PageError`. */
  unpack(memory: PageMemory, codec: number, { header, body }: Page): Block {
    // Allocating can move the memory: then views of it are empty.
    const source = { start: body.byteOffset, end: body.byteOffset + body.length };
    const size = header.uncompressedSize;
    const levels = header.kind === "dataV2" ? header.definitionBytes + header.repetitionBytes : 0;
    if (levels > body.length || levels > size) throw new PageError("a page's levels are cut off");
    const plain = header.kind === "dataV2" && !header.compressed;
    const block = memory.allocate(size);
    const { address } = block;
    this.kernel.bytes.copyWithin(address, source.start, source.start + levels);
    const values = { start: source.start + levels, end: source.end };
    const target = { start: address + levels, end: address + size };
    try {
      if (this.#decompress(plain ? codecs.uncompressed : codec, values, target)) return block;
      throw new PageError(`a page does not decompress to the ${size} bytes that its header says`);
    } catch (error) {
      memory.free([block]);
      throw error;
    }
  }

  /** Returns false if the source does not fill the target exactly. */
  #decompress(codec: number, source: Bytes, target: Bytes): boolean {
    const { bytes, run } = this.kernel;
    const length = source.end - source.start;
    const size = target.end - target.start;
    if (codec === codecs.uncompressed) {
      if (length === size) bytes.copyWithin(target.start, source.start, source.end);
      return length === size;
    }
    // Pages of nothing but nulls have nothing to compress.
    if (length === 0) return size === 0;
    switch (codec) {
      case codecs.snappy:
        return run.snappyDecompress(source.start, length, target.start, size) === 1;
      case codecs.gzip:
        return this.#gzip.decompress(source, target);
      case codecs.brotli:
        return decompressBrotli(viewOf(bytes, source), viewOf(bytes, target));
      case codecs.lz4:
        return decompressHadoopLz4(this.kernel, source, target);
      case codecs.zstd:
        return this.#zstd?.decompress(viewOf(bytes, source), viewOf(bytes, target)) === true;
      case codecs.lz4Raw:
        return decompressLz4(this.kernel, source, target);
      case codecs.lzo:
        throw new PageError("its pages are compressed with LZO, which cannot be read");
      default:
        throw new PageError(`its pages are compressed with the unknown codec ${codec}`);
    }
  }

  free(): void {
    this.#gzip.free();
    this.#zstd?.free();
  }
}

function viewOf(bytes: Uint8Array, { start, end }: Bytes): Uint8Array {
  return bytes.subarray(start, end);
}

function decompressBrotli(source: Uint8Array, target: Uint8Array): boolean {
  try {
    const plain = brotliDecompressSync(source, { maxOutputLength: Math.max(1, target.length) });
    if (plain.length !== target.length) return false;
    target.set(plain);
    return true;
  } catch {
    // Not brotli, damaged, or more than there is room for.
    return false;
  }
}
