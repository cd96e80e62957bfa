import type { Kernel } from "../batch/kernel.js";
import { FITTING_ROWS_MAX, hashAt } from "./hash-counts.js";
import type { SplitIdKind } from "./split-profile.js";

/** Bytes of an id that is taken out (src/kernels/profile/taken-ids.ts), and of a pair. */
export const TAKEN_ID_BYTES = 8;
export const TAKEN_PAIR_BYTES = 4;

/** Ids as src/kernels/profile/taken-ids.ts takes them out, at an address. */
export class TakenIds {
  readonly #larger: ReadonlyMap<number, number>;

  constructor(
    private readonly kernel: Kernel,
    private readonly address: number,
    { larger }: SplitIdKind,
  ) {
    this.#larger = new Map(larger);
  }

  hashAt(index: number): number {
    return hashAt(this.kernel.u32, this.address / 4 + index * 2);
  }

  rowsAt(index: number): number {
    const fitting = this.kernel.u32[this.address / 4 + index * 2]! & FITTING_ROWS_MAX;
    return this.#larger.get(index) ?? fitting;
  }
}
