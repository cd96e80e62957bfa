import type { Kernel } from "../batch/kernel.js";
import type { Bytes } from "./page-memory.js";

/** Decompresses a page of the codec LZ4_RAW: one block. Returns false if it does not fill the target. */
export function decompressLz4({ run }: Kernel, source: Bytes, target: Bytes): boolean {
  const { start, end } = target;
  return run.lz4Decompress(source.start, source.end, start, start, end) === end;
}

/**
 * Decompresses a page of the old codec LZ4, which the format does not define. Writers have used the
 * framing of Hadoop, LZ4 frames, and single blocks; readers try them in this order.
 */
export function decompressHadoopLz4(kernel: Kernel, source: Bytes, target: Bytes): boolean {
  return (
    readHadoopBlocks(kernel, source, target) ||
    readFrames(kernel, source, target) ||
    decompressLz4(kernel, source, target)
  );
}

/**
 * Reads Hadoop's framing: the number of decompressed bytes (u32, big-endian), then one or more blocks,
 * each after the number of its bytes, until they have given that many; and so on.
 */
function readHadoopBlocks({ memory, run }: Kernel, source: Bytes, target: Bytes): boolean {
  const view = new DataView(memory.buffer);
  let p = source.start;
  let t = target.start;
  while (p < source.end) {
    if (source.end - p < 8) return false;
    const size = view.getUint32(p);
    if (size > target.end - t) return false;
    const end = t + size;
    p += 4;
    do {
      const length = source.end - p < 4 ? 0 : view.getUint32(p);
      p += 4;
      if (length === 0 || length > source.end - p) return false;
      t = run.lz4Decompress(p, p + length, t, t, end);
      if (t === 0) return false;
      p += length;
    } while (t < end);
  }
  return t === target.end;
}

const FRAME_MAGIC = 0x184d2204;
/** Bits of a frame's flags. */
const frameFlags = {
  dictionary: 1,
  contentChecksum: 4,
  contentSize: 8,
  blockChecksum: 16,
} as const;
/** Bit of a block's size that says that the block is not compressed. */
const PLAIN_BLOCK = 0x8000_0000;

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md; checksums are not checked. */
function readFrames(kernel: Kernel, source: Bytes, target: Bytes): boolean {
  const view = new DataView(kernel.memory.buffer);
  let p = source.start;
  let t = target.start;
  while (p < source.end) {
    // Magic, flags, the size of blocks, and the header's checksum.
    if (source.end - p < 7 || view.getUint32(p, true) !== FRAME_MAGIC) return false;
    const flags = view.getUint8(p + 4);
    if (flags >> 6 !== 1 || (flags & frameFlags.dictionary) !== 0) return false;
    p += (flags & frameFlags.contentSize) === 0 ? 7 : 15;
    const blockEnd = (flags & frameFlags.blockChecksum) === 0 ? 0 : 4;
    const history = t;
    for (;;) {
      if (source.end - p < 4) return false;
      const word = view.getUint32(p, true);
      p += 4;
      if (word === 0) break;
      const length = word % PLAIN_BLOCK;
      if (source.end - p < length + blockEnd) return false;
      t = readBlock(kernel, { start: p, end: p + length }, word, history, {
        start: t,
        end: target.end,
      });
      if (t === 0) return false;
      p += length + blockEnd;
    }
    p += (flags & frameFlags.contentChecksum) === 0 ? 0 : 4;
  }
  return p === source.end && t === target.end;
}

/** Returns the address after the output, or 0 for a damaged block. */
function readBlock(
  { bytes, run }: Kernel,
  { start, end }: Bytes,
  word: number,
  history: number,
  target: Bytes,
): number {
  if (word < PLAIN_BLOCK) return run.lz4Decompress(start, end, history, target.start, target.end);
  if (end - start > target.end - target.start) return 0;
  bytes.copyWithin(target.start, start, end);
  return target.start + end - start;
}
