import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { builtFile } from "../base/package-files.js";
import type { KernelExports } from "./kernel-exports.js";

/** Bytes after every allocation that kernels may read (never write): SIMD loads overrun. */
const SLACK_BYTES = 64;

/** Bytes that kernels may write past the end of their output: they store in steps of 64 bytes. */
export const LOOSE_BYTES = 64;

const PAGE_BYTES = 65_536;
/** Upper bound of the memory; the same number as in scripts/build.mjs. */
const MEMORY_BYTES_MAX = 32_767 * PAGE_BYTES;
/** The smallest step by which the memory grows. */
const GROW_PAGES_MIN = 2_048;

let compiled: WebAssembly.Module | undefined;

function compile(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readFileSync(builtFile("assets/kernels.wasm")));
  return compiled;
}

/**
 * One instance of the compiled kernels with its linear memory. Not shared between threads: each
 * worker has its own. Views (`bytes`, `u32`, …) are valid until the next allocation, which may
 * move the memory: get them again after anything that allocates.
 */
export class Kernel {
  readonly memory: WebAssembly.Memory;
  readonly run: KernelExports;
  pool = new BufferPool();
  readonly #base: number;
  #top: number;
  /** Freed blocks by size, so that regions that grow and shrink reuse them. */
  readonly #free = new Map<number, number[]>();
  readonly #sizes = new Map<number, number>();
  // Their length becomes 0 when the memory grows. Asking the memory for its buffer each time took longer
  // than most work on a view.
  #bytes = new Uint8Array();
  #u32 = new Uint32Array();
  #doubles = new Float64Array();
  #longs = new BigUint64Array();

  constructor() {
    const instance = new WebAssembly.Instance(compile(), {
      env: {
        abort() {
          throw new Error("kernel aborted");
        },
        formatNumber: (value: number, single: number, target: number) =>
          writeNumber(this, value, single !== 0, target),
        sha256: (start: number, length: number, target: number) => {
          const digest = hash("sha256", this.bytes.subarray(start, start + length), "hex");
          encoder.encodeInto(digest, this.bytes.subarray(target, target + digest.length));
        },
      },
    });
    const exports = instance.exports as unknown as KernelExports;
    this.run = exports;
    this.memory = exports.memory;
    this.#base = align(exports.heapBase.value);
    this.#top = this.#base;
    this.#refresh();
  }

  get bytes(): Uint8Array {
    if (this.#bytes.length === 0) this.#refresh();
    return this.#bytes;
  }

  /** The whole memory as a u32 view: index = address / 4. */
  get u32(): Uint32Array {
    if (this.#u32.length === 0) this.#refresh();
    return this.#u32;
  }

  /** The whole memory as doubles: index = address / 8. */
  get doubles(): Float64Array {
    if (this.#doubles.length === 0) this.#refresh();
    return this.#doubles;
  }

  /** The whole memory as u64: index = address / 8. */
  get longs(): BigUint64Array {
    if (this.#longs.length === 0) this.#refresh();
    return this.#longs;
  }

  /**
   * Allocates `size` bytes, 64-aligned, not cleared, and returns their address. Throws `RangeError` if the
   * memory is full, and for invalid sizes.
   */
  allocate(size: number): number {
    // Sizes come from the input: a larger one would be cut to 32 bits.
    if (!(size >= 0 && size < MEMORY_BYTES_MAX)) {
      throw new RangeError(`kernel memory has no room for ${size} bytes`);
    }
    const total = align(roomySize(size + SLACK_BYTES));
    const reused = this.#free.get(total)?.pop();
    const address = reused ?? this.#extend(total);
    this.#sizes.set(address, total);
    return address;
  }

  free(address: number): void {
    const total = this.#sizes.get(address);
    if (total === undefined)
      throw new Error(`free of an address that is not allocated: ${address}`);
    this.#sizes.delete(address);
    const blocks = this.#free.get(total);
    if (blocks === undefined) this.#free.set(total, [address]);
    else blocks.push(address);
  }

  /** Frees everything at once, for the next user of the memory: what was allocated is invalid. */
  clear(): void {
    this.pool = new BufferPool();
    this.#top = this.#base;
    this.#free.clear();
    this.#sizes.clear();
  }

  #extend(total: number): number {
    const address = this.#top;
    const needed = address + total - this.memory.buffer.byteLength;
    if (needed > 0) this.#grow(Math.ceil(needed / PAGE_BYTES));
    this.#top = address + total;
    return address;
  }

  // Whenever the memory grows, V8 counts all of it as new and soon collects garbage: few large steps save
  // a tenth of an export's CPU time. Pages that are never written take no memory.
  #grow(pages: number): void {
    try {
      this.memory.grow(Math.max(pages, GROW_PAGES_MIN));
    } catch (error) {
      if (!(error instanceof RangeError) || pages >= GROW_PAGES_MIN) throw error;
      this.memory.grow(pages);
    }
  }

  #refresh(): void {
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#u32 = new Uint32Array(this.memory.buffer);
    this.#doubles = new Float64Array(this.memory.buffer);
    this.#longs = new BigUint64Array(this.memory.buffer);
  }
}

/** Writes the shortest text that reads back as the same double or float; returns the address after it. */
function writeNumber(kernel: Kernel, value: number, single: boolean, target: number): number {
  const text = single ? floatText(value) : String(value);
  return target + encoder.encodeInto(text, kernel.bytes.subarray(target, target + 32)).written;
}

/** Returns the shortest text that reads back as the same float; nine digits distinguish any two. */
export function floatText(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}

const encoder = new TextEncoder();

/** Blocks of fewer bytes are not rounded. */
const ROOMY_BYTES_MIN = 4096;

/**
 * Rounds up to one of eight sizes between two powers of two, because a freed block is reused only for its
 * own size. Parts of a block that are never written take no memory.
 */
export function roomySize(size: number): number {
  if (size < ROOMY_BYTES_MIN) return size;
  const step = 1 << (29 - Math.clz32(size - 1));
  return Math.ceil(size / step) * step;
}

function align(value: number): number {
  return Math.ceil(value / 64) * 64;
}

/** A block of kernel memory that can grow, which changes its address. */
export class Region {
  #address: number;
  #capacity: number;

  constructor(
    private readonly kernel: Kernel,
    capacity: number,
  ) {
    this.#address = kernel.allocate(capacity);
    this.#capacity = capacity;
  }

  get address(): number {
    return this.#address;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** Makes room for `size` bytes, at least doubling; keeps the first `kept` bytes. */
  ensure(size: number, kept = 0): void {
    if (size <= this.#capacity) return;
    const capacity = Math.max(size, this.#capacity * 2);
    const address = this.kernel.allocate(capacity);
    if (kept > 0) this.kernel.bytes.copyWithin(address, this.#address, this.#address + kept);
    this.kernel.free(this.#address);
    this.#address = address;
    this.#capacity = capacity;
  }

  free(): void {
    this.kernel.free(this.#address);
  }
}

/** A reusable object in kernel memory. */
interface Pooled {
  free(): void;
}

/**
 * Keeps one unused object of each class for the next user: creating one takes 0.1 ms for each JSON
 * source. The owner hands an object over with `keep`.
 */
export class BufferPool {
  readonly #kept = new Map<unknown, Pooled>();

  /** Removes the kept object of a class from the pool; frees it if it does not fit. */
  take<Kept extends Pooled>(
    kind: abstract new (...parameters: never[]) => Kept,
    fits: (kept: Kept) => boolean,
  ): Kept | undefined {
    const kept = this.#kept.get(kind) as Kept | undefined;
    if (kept === undefined) return undefined;
    this.#kept.delete(kind);
    if (fits(kept)) return kept;
    kept.free();
    return undefined;
  }

  /** Keeps an object for `take` with its class; frees the one that was kept before. */
  keep(pooled: Pooled): void {
    const kind = pooled.constructor;
    this.#kept.get(kind)?.free();
    this.#kept.set(kind, pooled);
  }
}

/** Bytes in kernel memory that are never freed. */
export interface KernelConstant {
  readonly address: number;
  readonly length: number;
}

/** Stores a text in kernel memory as UTF-8. */
export function storeText(kernel: Kernel, text: string): KernelConstant {
  const bytes = encoder.encode(text);
  const address = kernel.allocate(bytes.length);
  kernel.bytes.set(bytes, address);
  return { address, length: bytes.length };
}

/** Stores u32 values in kernel memory and returns their address. */
export function storeU32s(kernel: Kernel, values: readonly number[]): number {
  const address = kernel.allocate(values.length * 4);
  kernel.u32.set(values, address / 4);
  return address;
}

/** Stores texts in kernel memory. Returns the address of their (address, length) pairs. */
export function storeTexts(kernel: Kernel, texts: readonly string[]): number {
  return storeU32s(
    kernel,
    texts.flatMap((text) => {
      const { address, length } = storeText(kernel, text);
      return [address, length];
    }),
  );
}
