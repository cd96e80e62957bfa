import { MIB } from "../../../base/limits.js";
import type { Kernel } from "../../../batch/kernel.js";
import type { ZstdPages } from "./zstd-pages.js";

/** Bytes of decompressed pages that a reader keeps in kernel memory, of all columns together. */
const PAGES_BYTES_MAX = 384 * MIB;
/** Bytes behind every page that decompression may overwrite. */
const LOOSE_BYTES = 64;

/** Kernel memory for the decompressed pages and dictionaries of a reader. */
export class PageMemory {
  #used = 0;

  constructor(
    readonly kernel: Kernel,
    /** What decompresses zstd, where that was loaded. */
    readonly zstd: ZstdPages | undefined,
    private readonly bytesMax = PAGES_BYTES_MAX,
  ) {}

  /** Whether there is room for `size` bytes more. */
  hasRoom(size: number): boolean {
    return this.#used + size <= this.bytesMax;
  }

  /** Room for `size` bytes. Those that hold it call `free` with the same size. */
  allocate(size: number): number {
    this.#used += size;
    return this.kernel.allocate(size + LOOSE_BYTES);
  }

  free(address: number, size: number): void {
    this.#used -= size;
    this.kernel.free(address);
  }
}
