import { type Kernel, roomySize } from "../../../batch/kernel.js";

/** Bytes of a file that were read and not used yet. */
export interface PageBuffer {
  /** All of them. Views hold until the next `grow`. */
  readonly bytes: Uint8Array;
  /** Room for `size` more at the end, to be filled at once. */
  grow(size: number): Uint8Array;
  /** Takes the first `size` bytes away. */
  drop(size: number): void;
}

/** Its views hold for ever: what was dropped is left alone. */
export class HeapPageBuffer implements PageBuffer {
  bytes = new Uint8Array(0);

  grow(size: number): Uint8Array {
    const { length } = this.bytes;
    const grown = new Uint8Array(length + size);
    grown.set(this.bytes);
    this.bytes = grown;
    return grown.subarray(length);
  }

  drop(size: number): void {
    this.bytes = this.bytes.subarray(size);
  }
}

/** In kernel memory, one place for page after page: a view's `byteOffset` is its address there. */
export class KernelPageBuffer implements PageBuffer {
  #address = 0;
  #capacity = 0;
  #start = 0;
  #length = 0;

  constructor(private readonly kernel: Kernel) {}

  get bytes(): Uint8Array {
    return this.kernel.bytes.subarray(this.#start, this.#start + this.#length);
  }

  grow(size: number): Uint8Array {
    const needed = this.#length + size;
    if (this.#start + needed > this.#address + this.#capacity) this.#move(needed);
    const end = this.#start + this.#length;
    this.#length = needed;
    return this.kernel.bytes.subarray(end, end + size);
  }

  #move(needed: number): void {
    const { kernel } = this;
    const old = this.#address;
    if (needed > this.#capacity) {
      this.#capacity = roomySize(needed);
      this.#address = kernel.allocate(this.#capacity);
    }
    kernel.bytes.copyWithin(this.#address, this.#start, this.#start + this.#length);
    this.#start = this.#address;
    if (old !== this.#address && old !== 0) kernel.free(old);
  }

  drop(size: number): void {
    this.#start += size;
    this.#length -= size;
  }

  free(): void {
    if (this.#address !== 0) this.kernel.free(this.#address);
    this.#address = 0;
    this.#capacity = 0;
    this.#start = 0;
    this.#length = 0;
  }
}
