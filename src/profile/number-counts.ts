import type { Kernel } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { countEntryLayout, countsLayout } from "../batch/layouts.js";
import { slotCountFor } from "./slot-count.js";

/** Rows by a whole number in kernel memory, of `numbersMax` numbers at most. */
export class NumberCounts {
  readonly #counts: KernelRecord<keyof typeof countsLayout.words>;

  constructor(
    private readonly kernel: Kernel,
    numbersMax: number,
  ) {
    const slotCount = slotCountFor(numbersMax);
    const slots = kernel.allocate(slotCount * 4);
    const entries = kernel.allocate(numbersMax * countEntryLayout.bytes);
    kernel.bytes.fill(0, slots, slots + slotCount * 4);
    this.#counts = new KernelRecord(kernel, countsLayout);
    this.#counts.set("slots", slots);
    this.#counts.set("mask", slotCount - 1);
    this.#counts.set("entries", entries);
    this.#counts.set("max", numbersMax);
  }

  /** What kernels take. */
  get address(): number {
    return this.#counts.address;
  }

  /** Rows of numbers for which there was no place. */
  get others(): number {
    return this.#counts.get("others");
  }

  clear(): void {
    this.kernel.run.clearCounts(this.address);
  }

  /** In the order of the numbers. */
  counts(): readonly (readonly [number: number, rows: number])[] {
    const { words } = this.kernel;
    const { number, rows } = countEntryLayout.words;
    const first = this.#counts.get("entries");
    const counts = Array.from({ length: this.#counts.get("count") }, (_, place) => {
      const entry = (first + place * countEntryLayout.bytes) / 4;
      return [words[entry + number]! | 0, words[entry + rows]!] as const;
    });
    return counts.sort(([one], [other]) => one - other);
  }
}
