import type { Estimate } from "./report.js";

/** Bits of a hash that take part: as many as a JavaScript number has. */
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

  /** Adds what other registers of the same size have seen. */
  merge(base64: string): void {
    const others = Buffer.from(base64, "base64");
    const ranks = this.#ranks;
    for (let index = 0; index < ranks.length; index++) {
      if (others[index]! > ranks[index]!) ranks[index] = others[index]!;
    }
  }

  /** `hash` has 53 bits, as kernels give them out. */
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

/** Zeros before the first one bit of a whole number of `bits` bits. */
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
