import { PROFILE_INSERT_IDS_MAX } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import { writeWords } from "../batch/kernel-record.js";
import { idSetLayout } from "../batch/layouts.js";
import { slotCountFor } from "./slot-count.js";

const SLOTS_MIN = 65_536;

/** Hashes of ids in kernel memory, which grows with their number up to a bound. */
export class IdSet {
  /** What kernels take. */
  readonly address: number;
  #slots: number;
  #slotCount = SLOTS_MIN;

  constructor(
    private readonly kernel: Kernel,
    private readonly idsMax = PROFILE_INSERT_IDS_MAX,
  ) {
    this.address = kernel.allocate(idSetLayout.bytes);
    this.#slots = kernel.allocate(SLOTS_MIN * 8);
    this.clear();
  }

  /** Ids that were in it already. */
  get repeated(): number {
    return this.#word("repeated");
  }

  /** Ids for which there was no place. */
  get unknown(): number {
    return this.#word("unknown");
  }

  clear(): void {
    const { kernel } = this;
    kernel.bytes.fill(0, this.#slots, this.#slots + this.#slotCount * 8);
    writeWords(kernel, idSetLayout, this.address, {
      ...{ slots: this.#slots, mask: this.#slotCount - 1, count: 0, max: this.#max },
      ...{ repeated: 0, unknown: 0 },
    });
  }

  /** To be called before `rows` ids are added. */
  makeRoom(rows: number): void {
    const { kernel } = this;
    const slotCount = slotCountFor(Math.min(this.#word("count") + rows, this.idsMax));
    if (slotCount <= this.#slotCount) return;
    const slots = kernel.allocate(slotCount * 8);
    kernel.run.moveIds(this.address, slots, slotCount - 1);
    kernel.free(this.#slots);
    this.#slots = slots;
    this.#slotCount = slotCount;
    kernel.words[this.address / 4 + idSetLayout.words.max] = this.#max;
  }

  get #max(): number {
    return Math.min(this.idsMax, this.#slotCount / 2);
  }

  #word(name: keyof typeof idSetLayout.words): number {
    return this.kernel.words[this.address / 4 + idSetLayout.words[name]] as number;
  }
}
