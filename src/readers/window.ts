import { type Kernel, Region } from "../batch/kernel.js";
import type { ByteSource } from "../sources/byte-source.js";

/**
 * Bytes kept before the cursor, so that scanners can look back to the start of a line. Before the first
 * byte of the source they are line feeds.
 */
const LOOK_BEHIND_BYTES = 256;

/**
 * A section of a source in kernel memory that moves forward through the source. `cursor` and `end` are
 * addresses; filling or growing the window changes them.
 */
export class Window {
  cursor: number;
  end: number;
  /** True when the source has nothing after `end`, or breaks there. */
  ended = false;
  /** The error that broke the source, to be thrown after all whole rows are delivered. */
  failure: unknown;
  readonly #kernel: Kernel;
  readonly #bytes: ByteSource;
  readonly #region: Region;
  /** Offset in the source of the address `#base`. */
  #baseOffset: number;

  constructor(kernel: Kernel, bytes: ByteSource, capacity: number, startOffset: number) {
    this.#kernel = kernel;
    this.#bytes = bytes;
    this.#region = new Region(kernel, capacity + LOOK_BEHIND_BYTES);
    kernel.bytes.fill(0x0a, this.#region.address, this.#region.address + LOOK_BEHIND_BYTES);
    this.#baseOffset = startOffset;
    this.cursor = this.#base;
    this.end = this.#base;
  }

  /** Bytes that the window can hold from its cursor on, once filled. */
  get capacity(): number {
    return this.#region.capacity - LOOK_BEHIND_BYTES;
  }

  /** True if more bytes fit only after some are consumed or the window has grown. */
  get isFull(): boolean {
    return this.end - this.cursor >= this.capacity;
  }

  /** Offset in the source of an address, for the current position of the window. */
  offsetOf(address: number): number {
    return this.#baseOffset + (address - this.#base);
  }

  /** The bytes from the cursor to the end, as a view. */
  get pending(): Uint8Array {
    return this.#kernel.bytes.subarray(this.cursor, this.end);
  }

  /**
   * Drops the bytes before the cursor and reads until the window is full, the source ends, or
   * `untilOffset` is reached. Past it each call doubles the bytes read, because a row that crosses it is
   * scanned from its start each time: steps of one size took 2.5 s of CPU for a row of 16 MiB.
   */
  async fill(untilOffset = Number.POSITIVE_INFINITY): Promise<void> {
    this.#dropConsumed();
    const limit = this.#base + this.capacity;
    while (!this.ended && this.end < limit) {
      const wanted = Math.max(Math.abs(untilOffset - this.offsetOf(this.end)), STEP_BYTES);
      const target = this.#kernel.bytes.subarray(this.end, Math.min(limit, this.end + wanted));
      try {
        const reading = this.#bytes.read(target);
        const read = typeof reading === "number" ? reading : await reading;
        this.end += read;
        this.ended = read === 0;
      } catch (error) {
        this.failure = error;
        this.ended = true;
      }
      if (this.offsetOf(this.end) > untilOffset) return;
    }
  }

  /** Doubles the capacity, up to `capacityMax` bytes. Returns false at that maximum. */
  grow(capacityMax: number): boolean {
    if (this.capacity >= capacityMax) return false;
    this.#dropConsumed();
    const length = this.end - this.#base;
    const capacity = Math.min(this.capacity * 2, capacityMax);
    this.#region.ensure(capacity + LOOK_BEHIND_BYTES, LOOK_BEHIND_BYTES + length);
    this.cursor = this.#base;
    this.end = this.#base + length;
    return true;
  }

  free(): void {
    this.#region.free();
  }

  get #base(): number {
    return this.#region.address + LOOK_BEHIND_BYTES;
  }

  #dropConsumed(): void {
    if (this.cursor === this.#base) return;
    this.#baseOffset = this.offsetOf(this.cursor);
    const from = this.cursor - LOOK_BEHIND_BYTES;
    this.#kernel.bytes.copyWithin(this.#region.address, from, this.end);
    this.end -= this.cursor - this.#base;
    this.cursor = this.#base;
  }
}

/** Bytes that a read past `untilOffset` asks for at least. */
const STEP_BYTES = 64 * 1024;
