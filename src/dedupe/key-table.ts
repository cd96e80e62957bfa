import { type Kernel, Region } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { keyTableLayout } from "../batch/layouts.js";

const SLOT_BYTES = 32;

/** u32 words of a drop: ordinal and check of the event, then file, ordinal and position of the first one. */
export const DROP_WORDS = 5;

/** The share of keys that a table takes: one of `slices` (a power of two), by bits of the digest. */
export interface KeySlice {
  readonly slice: number;
  readonly slices: number;
}

/** Finds repeated keys in kernel memory that is allocated once and grows with the number of keys. */
export class KeyTable {
  readonly #kernel: Kernel;
  readonly #record: KernelRecord<keyof typeof keyTableLayout.words>;
  readonly #slots: Region;
  readonly #skipped: Region;
  readonly #drops: Region;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#record = new KernelRecord(kernel, keyTableLayout);
    this.#slots = new Region(kernel, 0);
    this.#skipped = new Region(kernel, 0);
    this.#drops = new Region(kernel, 0);
  }

  /** Makes the table empty, with room for this number of keys. */
  clear(keys: number, { slice, slices }: KeySlice): void {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, keys) * 1.4));
    this.#slots.ensure(slots * SLOT_BYTES);
    const { address } = this.#slots;
    this.#kernel.bytes.fill(0, address, address + slots * SLOT_BYTES);
    this.#record.set("slots", address);
    this.#record.set("mask", slots - 1);
    this.#record.set("slice", slice);
    this.#record.set("sliceMask", slices - 1);
  }

  /**
   * Adds `count` entries of a file (from 1), and returns a drop for each key that the table had before;
   * valid until the next call. `skipped`: ordinals, in order, of events that do not count.
   */
  add(entries: number, count: number, file: number, skipped: Uint32Array): Uint32Array {
    this.#skipped.ensure(skipped.length * 4);
    this.#drops.ensure(count * DROP_WORDS * 4);
    this.#kernel.u32.set(skipped, this.#skipped.address / 4);
    this.#record.set("skipped", this.#skipped.address);
    this.#record.set("skippedCount", skipped.length);
    this.#record.set("drops", this.#drops.address);
    const drops = this.#kernel.run.addKeys(this.#record.address, entries, count, file);
    const start = this.#drops.address / 4;
    return this.#kernel.u32.subarray(start, start + drops * DROP_WORDS);
  }
}
