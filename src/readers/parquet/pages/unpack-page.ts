import { gunzipSync } from "node:zlib";
import type { ColumnChunk } from "../footer/footer.js";
import { DecodeError } from "../library/page-decoder.js";
import type { PageMemory } from "./page-memory.js";
import type { ReadPage } from "./page-reader.js";

/** CompressionCodec of parquet.thrift, as far as pages are decompressed here. */
const codecs = { uncompressed: 0, snappy: 1, gzip: 2, zstd: 6 } as const;

/** The bytes of a page in kernel memory, decompressed. */
export interface UnpackedPage {
  readonly address: number;
  readonly size: number;
}

export function canUnpack(codec: number, { zstd }: PageMemory): boolean {
  const known: readonly number[] = Object.values(codecs);
  return known.includes(codec) && (codec !== codecs.zstd || zstd !== undefined);
}

/** Whether one of these columns is compressed by zstd, which has to be loaded for it. */
export function needsZstd(chunks: readonly Pick<ColumnChunk, "codec">[]): boolean {
  return chunks.some(({ codec }) => codec === codecs.zstd);
}

/** Decompresses a page that lies in kernel memory. Throws `DecodeError`. */
export function unpackPage(memory: PageMemory, codec: number, page: ReadPage): UnpackedPage {
  const { header, headerSize, bytes } = page;
  // Before anything is allocated: that can move the memory, and views of it are empty from then on.
  const source = bytes.byteOffset + headerSize;
  const end = bytes.byteOffset + bytes.length;
  const size = header.uncompressedSize;
  const levels = header.kind === "dataV2" ? header.definitionBytes + header.repetitionBytes : 0;
  if (levels > end - source || levels > size) throw new DecodeError("a page's levels are cut off");
  const plain = header.kind === "dataV2" && !header.compressed;
  const address = memory.allocate(size);
  memory.kernel.bytes.copyWithin(address, source, source + levels);
  const body = { start: source + levels, end };
  const target = { start: address + levels, end: address + size };
  if (unpack(memory, plain ? codecs.uncompressed : codec, body, target)) return { address, size };
  memory.free(address, size);
  throw new DecodeError(`a page does not decompress to the ${size} bytes that its header tells`);
}

interface Bytes {
  readonly start: number;
  readonly end: number;
}

/** False where what the source holds does not fill the target exactly. */
function unpack(memory: PageMemory, codec: number, source: Bytes, target: Bytes): boolean {
  const { kernel, zstd } = memory;
  const length = source.end - source.start;
  const size = target.end - target.start;
  if (codec === codecs.uncompressed) {
    if (length === size) kernel.bytes.copyWithin(target.start, source.start, source.end);
    return length === size;
  }
  // Pages of nothing but nulls have nothing to compress.
  if (length === 0) return size === 0;
  if (codec === codecs.snappy) {
    return kernel.run.snappyDecompress(source.start, length, target.start, size) === 1;
  }
  const compressed = kernel.bytes.subarray(source.start, source.end);
  const room = kernel.bytes.subarray(target.start, target.end);
  return codec === codecs.zstd
    ? zstd?.decompress(compressed, room) === true
    : gunzip(compressed, room);
}

function gunzip(compressed: Uint8Array, target: Uint8Array): boolean {
  try {
    const inflated = gunzipSync(compressed, { maxOutputLength: Math.max(1, target.length) });
    if (inflated.length !== target.length) return false;
    target.set(inflated);
    return true;
  } catch {
    // No gzip, damaged, or more than there is room for.
    return false;
  }
}
