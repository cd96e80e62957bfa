import { PROFILE_INSERT_IDS_MAX } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import { KernelRecord, writeWords } from "../batch/kernel-record.js";
import { countEntryLayout, countsLayout, idSetLayout } from "../batch/layouts.js";

/** Returns the slots of a hash table for `entriesMax` entries: a power of two, at most half full. */
export function slotCountFor(entriesMax: number): number {
  return 2 ** Math.ceil(Math.log2(entriesMax * 2));
}

/** Bytes of a slot of the tables in src/kernels/profile/folded-ids.ts. */
export const FOLDED_SLOT_BYTES = 16;
const FOLDED_SLOT_BITS_MIN = 13;
/** Tables grow by four: what they leave behind is a third of their size. */
const FOLDED_SLOT_BITS_STEP = 2;

/** Returns the bits of the slots of these tables: at most three quarters are used. */
export function foldedSlotBits(entriesMax: number): number {
  const more = Math.max(0, Math.log2((entriesMax * 4) / 3) - FOLDED_SLOT_BITS_MIN);
  return FOLDED_SLOT_BITS_MIN + Math.ceil(more / FOLDED_SLOT_BITS_STEP) * FOLDED_SLOT_BITS_STEP;
}

/** Gives such a table its first slots, which are free. */
export function placeFoldedSlots(kernel: Kernel, table: KernelRecord<"slots" | "bits">): void {
  const bytes = FOLDED_SLOT_BYTES * 2 ** FOLDED_SLOT_BITS_MIN;
  const slots = kernel.allocate(bytes);
  kernel.bytes.fill(0, slots, slots + bytes);
  table.set("slots", slots);
  table.set("bits", FOLDED_SLOT_BITS_MIN);
}

/** Counts rows by a whole number in kernel memory, for at most `numbersMax` numbers. */
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

  /** Address of the record that kernels use. */
  get address(): number {
    return this.#counts.address;
  }

  /** Rows of numbers beyond the limit. */
  get others(): number {
    return this.#counts.get("others");
  }

  clear(): void {
    this.kernel.run.clearCounts(this.address);
  }

  /** Returns the rows of each number, in the order of the numbers. */
  counts(): readonly (readonly [number: number, rows: number])[] {
    const { u32 } = this.kernel;
    const { number, rows } = countEntryLayout.words;
    const first = this.#counts.get("entries");
    const counts = Array.from({ length: this.#counts.get("count") }, (_, index) => {
      const entry = (first + index * countEntryLayout.bytes) / 4;
      return [u32[entry + number]! | 0, u32[entry + rows]!] as const;
    });
    return counts.sort(([one], [other]) => one - other);
  }
}

const SLOTS_MIN = 65_536;

/** A set of id hashes in kernel memory, which grows with their number up to a limit. */
export class IdSet {
  /** Address of the record that kernels use. */
  readonly address: number;
  #slots: number;
  #slotCount = SLOTS_MIN;

  constructor(private readonly kernel: Kernel) {
    this.address = kernel.allocate(idSetLayout.bytes);
    this.#slots = kernel.allocate(SLOTS_MIN * 8);
    this.clear();
  }

  /** Ids that were already in the set. */
  get repeated(): number {
    return this.#word("repeated");
  }

  /** Ids that were not compared, because the set was full. */
  get unknown(): number {
    return this.#word("unknown");
  }

  clear(): void {
    const { kernel } = this;
    kernel.bytes.fill(0, this.#slots, this.#slots + this.#slotCount * 8);
    writeWords(kernel, idSetLayout, this.address, {
      slots: this.#slots,
      mask: this.#slotCount - 1,
      count: 0,
      max: this.#max,
      repeated: 0,
      unknown: 0,
    });
  }

  /** Grows the set. Call it before `rows` ids are added. */
  makeRoom(rows: number): void {
    const { kernel } = this;
    const slotCount = slotCountFor(Math.min(this.#word("count") + rows, PROFILE_INSERT_IDS_MAX));
    if (slotCount <= this.#slotCount) return;
    const slots = kernel.allocate(slotCount * 8);
    kernel.run.moveIds(this.address, slots, slotCount - 1);
    kernel.free(this.#slots);
    this.#slots = slots;
    this.#slotCount = slotCount;
    kernel.u32[this.address / 4 + idSetLayout.words.max] = this.#max;
  }

  get #max(): number {
    return Math.min(PROFILE_INSERT_IDS_MAX, this.#slotCount / 2);
  }

  #word(name: keyof typeof idSetLayout.words): number {
    return this.kernel.u32[this.address / 4 + idSetLayout.words[name]] as number;
  }
}
