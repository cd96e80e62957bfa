import { gunzipSync } from "node:zlib";
import { DecodeError } from "./page-decoder.js";
import type { PageMemory } from "./page-memory.js";
import type { ReadPage } from "./page-reader.js";

/** CompressionCodec of parquet.thrift, as far as pages are decompressed here. */
const codecs = { uncompressed: 0, snappy: 1, gzip: 2 } as const;

/** The bytes of a page in kernel memory, decompressed. */
export interface UnpackedPage {
  readonly address: number;
  readonly size: number;
}

export function canUnpack(codec: number): boolean {
  const known: readonly number[] = Object.values(codecs);
  return known.includes(codec);
}

/** Decompresses a page that lies in kernel memory. Throws `DecodeError`. */
export function unpackPage(memory: PageMemory, codec: number, page: ReadPage): UnpackedPage {
  const { header, headerSize, bytes } = page;
  const { kernel } = memory;
  // Before anything is allocated: that can move the memory, and views of it are empty from then on.
  const source = bytes.byteOffset + headerSize;
  const end = bytes.byteOffset + bytes.length;
  const size = header.uncompressedSize;
  const levels = header.kind === "dataV2" ? header.definitionBytes + header.repetitionBytes : 0;
  if (levels > end - source || levels > size) throw new DecodeError("a page's levels are cut off");
  const plain = header.kind === "dataV2" && !header.compressed;
  const body = { start: source + levels, end, size: size - levels };
  const inflated =
    codec === codecs.gzip && !plain
      ? gunzip(kernel.bytes.subarray(body.start, end), body.size)
      : null;
  const address = memory.allocate(size);
  kernel.bytes.copyWithin(address, source, source + levels);
  const target = address + levels;
  let sound = true;
  if (inflated !== null) {
    kernel.bytes.set(inflated, target);
  } else if (plain || codec === codecs.uncompressed) {
    sound = end - body.start === body.size;
    if (sound) kernel.bytes.copyWithin(target, body.start, end);
  } else if (body.size > 0 || end > body.start) {
    sound = kernel.run.snappyDecompress(body.start, end - body.start, target, body.size) === 1;
  }
  if (sound) return { address, size };
  memory.free(address, size);
  throw new DecodeError(`a page does not decompress to the ${size} bytes that its header tells`);
}

function gunzip(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length === 0 && size === 0) return bytes;
  let inflated: Uint8Array;
  try {
    inflated = gunzipSync(bytes, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw new DecodeError("a page is no sound gzip data", { cause: error });
  }
  if (inflated.length === size) return inflated;
  throw new DecodeError(`a page does not decompress to the ${size} bytes that its header tells`);
}
