import type { Kernel } from "../batch/kernel.js";
import { slotCountFor } from "./slot-count.js";

const ENTRY_BYTES = 12;

/** Words of the kernels' `Counts`. */
const words = { slots: 0, mask: 1, entries: 2, count: 3, max: 4, others: 5, last: 6 } as const;

/** Rows by a whole number in kernel memory, of `numbersMax` numbers at most. */
export class NumberCounts {
  /** What kernels take. */
  readonly address: number;

  constructor(
    private readonly kernel: Kernel,
    numbersMax: number,
  ) {
    const slotCount = slotCountFor(numbersMax);
    const slots = kernel.allocate(slotCount * 4);
    const entries = kernel.allocate(numbersMax * ENTRY_BYTES);
    this.address = kernel.allocate(28);
    kernel.bytes.fill(0, slots, slots + slotCount * 4);
    kernel.words.set([slots, slotCount - 1, entries, 0, numbersMax, 0, 0], this.address / 4);
  }

  /** Rows of numbers for which there was no place. */
  get others(): number {
    return this.#word("others");
  }

  clear(): void {
    this.kernel.run.clearCounts(this.address);
  }

  /** In the order of the numbers. */
  counts(): readonly (readonly [number: number, rows: number])[] {
    const first = this.#word("entries") / 4;
    const counts = Array.from({ length: this.#word("count") }, (_, place): [number, number] => {
      const [number = 0, rows = 0] = this.kernel.words.subarray(first + place * 3);
      return [number | 0, rows];
    });
    return counts.sort(([one], [other]) => one - other);
  }

  #word(name: keyof typeof words): number {
    return this.kernel.words[this.address / 4 + words[name]] as number;
  }
}
