import { sum } from "../base/sum.js";
import type { Estimate } from "./report.js";
import type { FrequentText, SplitFrequent } from "./split-profile.js";

/** Bits of a hash that are used: as many as a JavaScript number holds exactly. */
const HASH_BITS = 53;

/** HyperLogLog registers (Flajolet et al. 2007), one byte each, a power of two of them. */
export class Registers {
  readonly #ranks: Uint8Array;
  readonly #bits: number;

  /** `size` is a power of two; `base64` are registers of the same size as a kernel wrote them. */
  constructor(size: number, base64?: string) {
    this.#bits = Math.log2(size);
    this.#ranks = base64 === undefined ? new Uint8Array(size) : Buffer.from(base64, "base64");
  }

  /** Adds registers of the same size. */
  merge(base64: string): void {
    const others = Buffer.from(base64, "base64");
    const ranks = this.#ranks;
    for (let index = 0; index < ranks.length; index++) {
      if (others[index]! > ranks[index]!) ranks[index] = others[index]!;
    }
  }

  /** Adds a hash of 53 bits, as kernels return it. */
  add(hash: number): void {
    const restBits = HASH_BITS - this.#bits;
    const index = Math.floor(hash / 2 ** restBits);
    const rank = leadingZeros(hash % 2 ** restBits, restBits) + 1;
    if (rank > this.#ranks[index]!) this.#ranks[index] = rank;
  }

  /** Ertl's estimate ("New cardinality estimation algorithms for HyperLogLog sketches", 2017). */
  estimate(): Estimate {
    const size = this.#ranks.length;
    const rankMax = HASH_BITS - this.#bits + 1;
    const counts = new Float64Array(rankMax + 1);
    for (const rank of this.#ranks) counts[rank]!++;
    let z = size * tau(1 - counts[rankMax]! / size);
    for (let rank = rankMax - 1; rank >= 1; rank--) z = 0.5 * (z + counts[rank]!);
    z += size * sigma(counts[0]! / size);
    const count = Math.round((size * size) / (2 * Math.LN2 * z));
    return { count, error: count === 0 ? 0 : 1.04 / Math.sqrt(size) };
  }
}

/** Counts the zero bits before the first one bit of a number of `bits` bits. */
function leadingZeros(value: number, bits: number): number {
  const high = Math.floor(value / 2 ** 32);
  const used = high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(value >>> 0);
  return bits - used;
}

function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let [x, y, z] = [share, 1, share];
  for (let before = Number.NaN; before !== z; ) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let [x, y, z] = [share, 1, 1 - share];
  for (let before = Number.NaN; before !== z; ) {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}

const TEXT_REGISTERS = 256;

/** A text over all splits. */
export interface FoldedText {
  readonly text: string;
  readonly length: number;
  rows: number;
}

/**
 * Adds up the most frequent texts of splits and keeps at most `textsMax` (Agarwal et al., "Mergeable
 * summaries", 2012). The result depends on the order: add splits in theirs.
 */
export class FrequentFold {
  readonly #texts = new Map<number, FoldedText>();
  #taken = 0;
  #registers: Registers | undefined;

  constructor(private readonly textsMax: number) {}

  /** Upper bound of the rows that a count lacks, and of the rows of a missing text. */
  get taken(): number {
    return this.#taken;
  }

  add({ entries, taken, registers }: SplitFrequent): void {
    this.#taken += taken;
    if (registers !== undefined) this.#saturate().merge(registers);
    for (const entry of entries) this.#addText(entry);
    if (this.#texts.size > this.textsMax) this.#cut();
  }

  /** Returns the number of distinct texts; exact as long as nothing was subtracted. */
  distinct(): Estimate {
    if (this.#taken === 0) return { count: this.#texts.size, error: 0 };
    return this.#saturate().estimate();
  }

  /** Returns texts, the most frequent first. Missing texts may have up to `taken` rows. */
  top(count: number): readonly FoldedText[] {
    return [...this.#texts.values()]
      .sort((a, b) => b.rows - a.rows || (a.text < b.text ? -1 : 1))
      .slice(0, count);
  }

  #addText({ hash, rows, text, length }: FrequentText): void {
    this.#registers?.add(hash);
    const known = this.#texts.get(hash);
    if (known === undefined) this.#texts.set(hash, { text, length, rows });
    else known.rows += rows;
  }

  /** Subtracts the rows of the most frequent text beyond the limit from all texts. */
  #cut(): void {
    this.#saturate();
    const rows = [...this.#texts.values()].map((one) => one.rows).sort((a, b) => b - a);
    const least = rows[this.textsMax] as number;
    this.#taken += least;
    for (const [hash, text] of this.#texts) {
      text.rows -= least;
      if (text.rows <= 0) this.#texts.delete(hash);
    }
  }

  #saturate(): Registers {
    if (this.#registers !== undefined) return this.#registers;
    const registers = new Registers(TEXT_REGISTERS);
    for (const hash of this.#texts.keys()) registers.add(hash);
    this.#registers = registers;
    return registers;
  }
}

/** Classes for each power of two, as in src/kernels/profile/profile-rows.ts. */
const CLASSES = 64;

/** Returns the middle of a class of sizes in bytes, at most 0.8 % from every size of the class. */
export function sizeOfClass(sizeClass: number): number {
  const base = 2 ** Math.floor(sizeClass / CLASSES);
  const width = base / CLASSES;
  const first = base + (sizeClass % CLASSES) * width;
  // Narrow classes contain one whole number.
  return width <= 1 ? Math.ceil(first) : Math.round(first + (width - 1) / 2);
}

/** Returns the size that a share of all events does not exceed; 0 without events. */
export function sizeAt(share: number, counts: ReadonlyMap<number, number>): number {
  const ordered = [...counts].sort(([one], [other]) => one - other);
  const total = sum(ordered, ([, rows]) => rows);
  let rest = Math.ceil(share * total);
  for (const [sizeClass, rows] of ordered) {
    rest -= rows;
    if (rest <= 0) return sizeOfClass(sizeClass);
  }
  return 0;
}
