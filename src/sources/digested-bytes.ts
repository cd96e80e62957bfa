import { crc32 } from "node:zlib";
import { FINGERPRINT_EDGE_BYTES } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import { isObjectUrl } from "../store/object-url.js";
import type { ByteSource } from "./byte-source.js";
import { Checksum } from "./checksum.js";
import type { Source } from "./source.js";

/** The checksum of the bytes of a plain file that were read, in order, from `start` on. */
export interface ReadDigest {
  readonly start: number;
  readonly bytes: number;
  readonly crc32: number;
}

/** Returns true for a plain local file that is larger than what its fingerprint sees of it. */
export function isSampled({ entry, codecs, path, size }: Source): boolean {
  const isPlainFile = entry === undefined && codecs.length === 0 && !isObjectUrl(path);
  return isPlainFile && size > 2 * FINGERPRINT_EDGE_BYTES;
}

const BLOCK_BYTES = 16;

/**
 * The bytes of a plain file, with a checksum of what was read. The samples of a fingerprint do not see every
 * change of a large file; the checksum tells whether a file that was touched is still the same.
 */
export class DigestedBytes implements ByteSource {
  readonly #checksum: Checksum;
  /** Kernel memory for the end of one read and the start of the next. */
  readonly #seam: number;
  #seamBytes = 0;
  /** The checksum so far of a reader that does not read into the kernel's memory. */
  #outside: number | undefined;
  #bytes = 0;
  #open = true;

  /** Owns `file` from now on. */
  constructor(
    private readonly kernel: Kernel,
    private readonly file: ByteSource,
    private readonly start: number,
  ) {
    this.#checksum = new Checksum(kernel);
    this.#seam = kernel.allocate(BLOCK_BYTES);
  }

  get consumed(): number {
    return this.file.consumed;
  }

  /** At once for a file that is read at once: a promise costs more than most reads. */
  read(target: Uint8Array): number | Promise<number> {
    const add = (count: number) => {
      this.#add(target.subarray(0, count));
      return count;
    };
    const reading = this.file.read(target);
    return typeof reading === "number" ? add(reading) : reading.then(add);
  }

  /** Returns the checksum of what was read; call it before `close`. */
  digest(): ReadDigest {
    const rest = this.kernel.bytes.subarray(this.#seam, this.#seam + this.#seamBytes);
    const value = this.#outside ?? this.#checksum.end(rest);
    return { start: this.start, bytes: this.#bytes, crc32: value };
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#checksum.free();
    this.kernel.free(this.#seam);
    await this.file.close();
  }

  #add(part: Uint8Array): void {
    const { bytes } = this.kernel;
    const isOutside = part.buffer !== bytes.buffer;
    if (isOutside !== (this.#outside !== undefined) && this.#bytes > 0)
      throw new Error("bytes of one file are read into memories of two kinds");
    this.#bytes += part.length;
    if (isOutside) {
      this.#outside = crc32(part, this.#outside);
      return;
    }
    let start = part.byteOffset;
    const end = start + part.length;
    if (this.#seamBytes > 0) {
      const missing = Math.min(BLOCK_BYTES - this.#seamBytes, end - start);
      bytes.copyWithin(this.#seam + this.#seamBytes, start, start + missing);
      this.#seamBytes += missing;
      start += missing;
      if (this.#seamBytes < BLOCK_BYTES) return;
      this.#checksum.add(this.#seam, this.#seam + BLOCK_BYTES);
    }
    const rest = this.#checksum.add(start, end);
    bytes.copyWithin(this.#seam, rest, end);
    this.#seamBytes = end - rest;
  }
}
