import { MIB } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";

/** Bytes of decompressed pages that a reader keeps whole in kernel memory, of all columns together. */
const PAGES_BYTES_MAX = 384 * MIB;
/** Bytes after a page that decompression overwrites: what one step of the kernel `inflate` may write. */
export const LOOSE_BYTES = 352;

/** A range of kernel memory; `end` is exclusive. */
export interface Bytes {
  readonly start: number;
  readonly end: number;
}

/** An allocated block of kernel memory. */
export interface Block {
  readonly address: number;
  readonly size: number;
}

/** Kernel memory for the pages and dictionaries of a reader, and what decoding makes of them. */
export class PageMemory {
  #used = 0;

  constructor(
    readonly kernel: Kernel,
    private readonly bytesMax = PAGES_BYTES_MAX,
  ) {}

  /** True if `size` more bytes stay within the limit. Larger pages are kept in part only. */
  hasRoom(size: number): boolean {
    return this.#used + size <= this.bytesMax;
  }

  allocate(size: number): Block {
    const address = this.kernel.allocate(size + LOOSE_BYTES);
    this.#used += size;
    return { address, size };
  }

  free(blocks: readonly Block[]): void {
    for (const { address, size } of blocks) {
      this.#used -= size;
      this.kernel.free(address);
    }
  }
}
