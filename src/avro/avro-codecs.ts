import { constants, crc32, inflateRawSync } from "node:zlib";
import { MIB } from "../base/limits.js";
import { ZstdDecoder } from "../base/zstd-decoder.js";
import { loadZstd } from "../base/zstd-library.js";
import { Kernel } from "../batch/kernel.js";
import { AvroError } from "./avro-input.js";

/** Bytes of a block, compressed and not. The format bounds neither; writers make them of 16 KiB to 4 MiB. */
export const BLOCK_BYTES_MAX = 128 * MIB;

const CHECKSUM_BYTES = 4;

/** A copy of three bytes makes at most 64. */
const SNAPPY_RATIO_MAX = 22;

/** Bytes after its target that the kernel may write. */
const LOOSE_BYTES = 352;

/**
 * Decompresses blocks; the result is valid until the next call. `isCut`: the block is the start of one that
 * the file cuts. Throws `AvroError`.
 */
export interface BlockCodec {
  decompress(block: Buffer, isCut: boolean): Buffer;
  free?(): void;
}

/** Returns the codec of a file's header; undefined if it cannot be read. */
export async function openCodec(name: string): Promise<BlockCodec | undefined> {
  switch (name) {
    case "null":
      return { decompress: (block) => block };
    case "deflate":
      return { decompress: inflate };
    case "snappy":
      return { decompress: decompressSnappy };
    case "zstandard":
      return new ZstdCodec(new ZstdDecoder(await loadZstd()));
    default:
      return undefined;
  }
}

function inflate(block: Buffer, isCut: boolean): Buffer {
  const finishFlush = isCut ? constants.Z_SYNC_FLUSH : constants.Z_FINISH;
  try {
    return inflateRawSync(block, { finishFlush, maxOutputLength: BLOCK_BYTES_MAX });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
      throw tooLarge();
    }
    throw new AvroError("its deflate data is damaged", { cause: error });
  }
}

/** The memory of a reader's window must not move while the reader waits for bytes, so it is another one. */
let kernel: Kernel | undefined;

/** A block of Snappy has the CRC-32 of its content behind it. Without that, what is cut cannot be trusted. */
function decompressSnappy(block: Buffer, isCut: boolean): Buffer {
  if (isCut) return Buffer.alloc(0);
  const length = block.length - CHECKSUM_BYTES;
  if (length < 1) throw new AvroError("its Snappy data has no checksum");
  const size = sizeOfSnappy(block);
  if (size > BLOCK_BYTES_MAX) throw tooLarge();
  if (size > SNAPPY_RATIO_MAX * length) throw new AvroError("its Snappy data is damaged");
  kernel ??= new Kernel();
  const source = kernel.allocate(length);
  const target = kernel.allocate(size + LOOSE_BYTES);
  kernel.bytes.set(block.subarray(0, length), source);
  const isSound = kernel.run.snappyDecompress(source, length, target, size) === 1;
  const content = Buffer.from(kernel.bytes.subarray(target, target + size));
  kernel.free(source);
  kernel.free(target);
  if (!isSound) throw new AvroError("its Snappy data is damaged");
  if (crc32(content) !== block.readUInt32BE(length)) {
    throw new AvroError("its content does not have the checksum that is behind it");
  }
  return content;
}

/** The content's size is the number that the data begins with, without a sign. */
function sizeOfSnappy(block: Buffer): number {
  let size = 0;
  for (let index = 0; index < 5; index++) {
    const byte = block[index] ?? 0;
    size += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) break;
  }
  return size;
}

class ZstdCodec implements BlockCodec {
  constructor(private readonly decoder: ZstdDecoder) {}

  decompress(block: Buffer, isCut: boolean): Buffer {
    if (isCut) return Buffer.alloc(0);
    const parts: Buffer[] = [];
    let size = 0;
    const isSound = this.decoder.decode(block, (output) => {
      size += output.length;
      if (size > BLOCK_BYTES_MAX) return false;
      parts.push(Buffer.from(output));
      return true;
    });
    if (size > BLOCK_BYTES_MAX) throw tooLarge();
    if (!isSound) throw new AvroError("its Zstandard data is damaged");
    return Buffer.concat(parts);
  }

  free(): void {
    this.decoder.free();
  }
}

function tooLarge(): AvroError {
  return new AvroError(`it has more than ${BLOCK_BYTES_MAX / MIB} MiB`);
}
