import { crc32 } from "node:zlib";
import type { Kernel } from "../batch/kernel.js";

/** Bytes of the `Checksum` of src/kernels/inflate/crc32.ts with its ring, and of its remainder. */
const CHECKSUM_BYTES = 64 + 8_192;
const REMAINDER_BYTES = 300 * 16;

const BLOCK_BYTES = 16;

/** The CRC-32 of bytes in kernel memory, added in order. */
export class Checksum {
  readonly #state: number;
  readonly #remainder: number;
  #blocks = 0;

  constructor(private readonly kernel: Kernel) {
    this.#state = kernel.allocate(CHECKSUM_BYTES);
    this.#remainder = kernel.allocate(REMAINDER_BYTES);
    this.begin();
  }

  begin(): void {
    this.kernel.run.beginChecksum(this.#state);
    this.#blocks = 0;
  }

  /** Adds whole blocks from `start` on. Returns the address after them, where the next call starts. */
  add(start: number, end: number): number {
    const blocks = Math.floor((end - start) / BLOCK_BYTES);
    this.kernel.run.addToChecksum(this.#state, start, blocks * BLOCK_BYTES);
    this.#blocks += blocks;
    return start + blocks * BLOCK_BYTES;
  }

  /** The checksum of everything added and of `rest`, the fewer than 16 bytes after it. */
  end(rest: Uint8Array): number {
    if (this.#blocks === 0) return crc32(rest);
    this.kernel.run.endChecksum(this.#state, this.#remainder);
    const { bytes } = this.kernel;
    const remainder = bytes.subarray(this.#remainder, this.#remainder + REMAINDER_BYTES);
    // zlib inverts the value that it continues from: here that is 0.
    return crc32(rest, crc32(remainder, 0xffff_ffff));
  }

  free(): void {
    this.kernel.free(this.#state);
    this.kernel.free(this.#remainder);
  }
}
