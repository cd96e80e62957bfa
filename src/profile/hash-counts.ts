import { type Kernel, Region } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { foldedIdsLayout } from "../batch/layouts.js";
import { FOLDED_SLOT_BYTES, foldedSlotBits, placeFoldedSlots } from "./kernel-tables.js";

const SLOT_WORDS = FOLDED_SLOT_BYTES / 4;

/** Row counts that `#prune` distinguishes. A hash with more rows is never dropped. */
const ROWS_DISTINGUISHED = 2 ** 16;

/** The number of a hash that came after others were dropped (src/kernels/profile/folded-ids.ts). */
const LATE = 0xff_ffff;

/** Index of an id and its rows, if these are more than fit beside its hash. */
export type LargerRows = readonly [index: number, rows: number];

/** Counts rows by hashes of 48 bits, in kernel memory. */
export class HashCounts {
  readonly #table: KernelRecord<keyof typeof foldedIdsLayout.words>;
  readonly #added: Region;
  readonly #numbers: Region;
  #dropped = 0;

  /** Keeps at most `hashesMax` hashes. */
  constructor(
    private readonly kernel: Kernel,
    private readonly hashesMax: number,
  ) {
    this.#table = new KernelRecord(kernel, foldedIdsLayout);
    this.#added = new Region(kernel, 0);
    this.#numbers = new Region(kernel, 0);
    placeFoldedSlots(kernel, this.#table);
  }

  /** Address of the table that kernels use. */
  get address(): number {
    return this.#table.address;
  }

  /** The number of different hashes; undefined if some were dropped. */
  get distinct(): number | undefined {
    return this.#dropped === 0 ? this.#table.get("count") : undefined;
  }

  /** Upper bound of the rows that a count lacks, and of the rows of a hash that is missing. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Adds `count` ids at an address, as src/kernels/profile/taken-ids.ts takes them out; `larger`: the rows of
   * ids that do not fit there. Returns the address of their numbers (u32), from 0 in the order in which they
   * came first; undefined once some were dropped. They are valid until more is added.
   */
  addAll(address: number, count: number, larger: readonly LargerRows[] = []): number | undefined {
    const { kernel } = this;
    this.#numbers.ensure(count * 4);
    const numbers = this.#numbers.address;
    const bits = foldedSlotBits(this.#table.get("count") + count);
    if (bits > this.#table.get("bits")) this.#move(bits, 0);
    kernel.run.addFoldedIds(this.address, address, count, numbers);
    for (const [index, rows] of larger) {
      this.#setRows(hashAt(kernel.u32, address / 4 + index * 2), rows - FITTING_ROWS_MAX);
    }
    if (this.#table.get("count") > this.hashesMax) this.#prune();
    return this.#dropped > 0 ? undefined : numbers;
  }

  /** Adds `rows` rows, at most `FITTING_ROWS_MAX`, of each hash. */
  addHashes(hashes: readonly number[], rows: number): void {
    this.#added.ensure(hashes.length * 8);
    const { u32 } = this.kernel;
    let word = this.#added.address / 4;
    for (const hash of hashes) {
      u32[word++] = (hash % 2 ** 16) * 2 ** 16 + rows;
      u32[word++] = Math.floor(hash / 2 ** 16);
    }
    this.addAll(this.#added.address, hashes.length);
  }

  rowsOf(hash: number): number {
    return rowsAt(this.kernel.u32, this.#slotOf(hash));
  }

  /** Returns true if the rows of a hash are exact: it was never dropped. */
  isExact(hash: number): boolean {
    const { u32 } = this.kernel;
    const slot = this.#slotOf(hash);
    return u32[slot] !== 0 && numberAt(u32, slot) !== LATE;
  }

  /** Returns the most rows that a hash which is not in `known` may have. */
  mostWithout(known: ReadonlySet<number>): number {
    const { u32 } = this.kernel;
    let most = this.#dropped;
    const end = this.#end;
    for (let slot = this.#first; slot < end; slot += SLOT_WORDS) {
      if (u32[slot] === 0) continue;
      const rows = rowsAt(u32, slot) + (numberAt(u32, slot) === LATE ? this.#dropped : 0);
      if (rows > most && !known.has(hashAt(u32, slot))) most = rows;
    }
    return most;
  }

  /** Returns how many of its hashes the other one also has. */
  sharedWith(other: HashCounts): number {
    const { u32 } = this.kernel;
    let shared = 0;
    const end = this.#end;
    for (let slot = this.#first; slot < end; slot += SLOT_WORDS) {
      if (u32[slot] !== 0 && other.rowsOf(hashAt(u32, slot)) > 0) shared++;
    }
    return shared;
  }

  /** Index of the first slot in `u32`. */
  get #first(): number {
    return this.#table.get("slots") / 4;
  }

  get #end(): number {
    return this.#first + SLOT_WORDS * 2 ** this.#table.get("bits");
  }

  /** Returns the index in `u32` of the slot of a hash: its own, or the free one where it belongs. */
  #slotOf(hash: number): number {
    const { u32 } = this.kernel;
    const [first, bits] = [this.#first, this.#table.get("bits")];
    const upper = Math.floor(hash / 2 ** 16);
    const lower = (hash % 2 ** 16) * 2 ** 16 + 1;
    for (let probe = upper >>> (32 - bits); ; probe = (probe + 1) % 2 ** bits) {
      const slot = first + probe * SLOT_WORDS;
      if (u32[slot] === 0 || (u32[slot] === lower && u32[slot + 1] === upper)) return slot;
    }
  }

  /** Adds rows to a hash that is there. */
  #setRows(hash: number, more: number): void {
    const { u32 } = this.kernel;
    const slot = this.#slotOf(hash);
    const rows = rowsAt(u32, slot) + more;
    u32[slot + 2] = (rows % 2 ** 8) * 2 ** 24 + numberAt(u32, slot);
    u32[slot + 3] = Math.floor(rows / 2 ** 8);
  }

  /** Drops the hashes with the fewest rows, at least half of all. */
  #prune(): void {
    const { u32 } = this.kernel;
    const counts = new Uint32Array(ROWS_DISTINGUISHED);
    const end = this.#end;
    for (let slot = this.#first; slot < end; slot += SLOT_WORDS) {
      if (u32[slot] !== 0) counts[Math.min(rowsAt(u32, slot), ROWS_DISTINGUISHED - 1)]!++;
    }
    let [most, left] = [0, this.#table.get("count") / 2];
    while (left > 0) left -= counts[++most]!;
    this.#dropped += most;
    this.#table.set("isCut", 1);
    this.#move(this.#table.get("bits"), most + 1);
  }

  /** Keeps the hashes of at least `rowsMin` rows. */
  #move(bits: number, rowsMin: number): void {
    const { kernel } = this;
    const old = this.#table.get("slots");
    const slots = kernel.allocate(FOLDED_SLOT_BYTES * 2 ** bits);
    kernel.run.moveFoldedIds(this.address, slots, bits, rowsMin);
    kernel.free(old);
  }
}

/** The most rows that fit beside a hash, where ids are taken out. */
export const FITTING_ROWS_MAX = 2 ** 16 - 1;

/** Returns the 48 bits of the hash of an id that was taken out, or of a slot, at an index of `u32`. */
export function hashAt(u32: Uint32Array, index: number): number {
  return u32[index + 1]! * 2 ** 16 + (u32[index]! >>> 16);
}

function rowsAt(u32: Uint32Array, slot: number): number {
  return u32[slot + 3]! * 2 ** 8 + (u32[slot + 2]! >>> 24);
}

function numberAt(u32: Uint32Array, slot: number): number {
  return u32[slot + 2]! & LATE;
}
