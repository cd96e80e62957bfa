import type { Kernel } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { foldedPairsLayout } from "../batch/layouts.js";
import type { HashCounts } from "./hash-counts.js";
import { FOLDED_SLOT_BYTES, foldedSlotBits, placeFoldedSlots } from "./kernel-tables.js";
import type { Estimate } from "./report.js";

/**
 * Distinct pairs of a user and a device, in kernel memory; beyond `pairsMax`, a sample of them. Each level
 * halves the share of pairs that are kept. The hash decides, so a pair is kept in every split or in none
 * (Gibbons, "Distinct sampling", 2001).
 */
export class IdPairs {
  readonly #pairs: KernelRecord<keyof typeof foldedPairsLayout.words>;

  constructor(
    private readonly kernel: Kernel,
    private readonly pairsMax: number,
  ) {
    this.#pairs = new KernelRecord(kernel, foldedPairsLayout);
    placeFoldedSlots(kernel, this.#pairs);
  }

  /** The pairs that are kept. */
  get count(): number {
    return this.#pairs.get("count");
  }

  /**
   * Adds `count` pairs at an address, of the indexes of a user and a device at `users` and `devices`, as
   * src/kernels/profile/taken-ids.ts takes them out.
   */
  addAll(address: number, count: number, users: number, devices: number): void {
    const bits = foldedSlotBits(this.count + count);
    if (bits > this.#pairs.get("bits")) this.#move(bits, this.#level);
    this.kernel.run.addFoldedPairs(this.#pairs.address, address, count, users, devices);
    while (this.count > this.pairsMax) this.#move(this.#pairs.get("bits"), this.#level + 1);
  }

  /** Adds one row for each pair of a user, and of a device, to those that are in these counts. */
  countOthers(users: HashCounts, devices: HashCounts): void {
    this.kernel.run.countFoldedPairs(this.#pairs.address, users.address, devices.address);
  }

  /** Estimates the number of distinct pairs if `count` of them are kept. */
  estimate(count: number): Estimate {
    if (this.#level === 0) return { count, error: 0 };
    const share = 2 ** -this.#level;
    return { count: count / share, error: Math.sqrt((1 - share) / Math.max(1, count)) };
  }

  get #level(): number {
    return this.#pairs.get("level");
  }

  #move(bits: number, level: number): void {
    const { kernel } = this;
    const old = this.#pairs.get("slots");
    const slots = kernel.allocate(FOLDED_SLOT_BYTES * 2 ** bits);
    kernel.run.moveFoldedPairs(this.#pairs.address, slots, bits, level);
    kernel.free(old);
  }
}
