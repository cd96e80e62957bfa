/** Bits of the hashes of ids in split profiles. */
const HASH_BITS = 48;
const SLOTS_MIN = 2 ** 12;

/** Row counts that `#prune` distinguishes. A hash with more rows is never dropped. */
const ROWS_DISTINGUISHED = 2 ** 16;

/** The number of a hash that came after others were dropped, so that it may have come before. */
const LATE = 2 ** 32 - 1;

/**
 * Counts rows by a hash. The slots are in the order of the hashes (linear probing from the upper bits), so
 * adding hashes in order goes through the memory in order.
 */
export class HashCounts {
  /** 0 is a free slot, otherwise the hash plus one. */
  #keys = new Float64Array(SLOTS_MIN);
  #rows = new Float64Array(SLOTS_MIN);
  #numbers = new Uint32Array(SLOTS_MIN);
  #count = 0;
  #dropped = 0;

  /** Keeps at most `hashesMax` hashes. */
  constructor(private readonly hashesMax: number) {}

  /** The number of different hashes; undefined if some were dropped. */
  get distinct(): number | undefined {
    return this.#dropped === 0 ? this.#count : undefined;
  }

  /** Upper bound of the rows that a count lacks, and of the rows of a hash that is missing. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Adds the rows of each hash. Returns the numbers of the hashes, from 0 in the order in which they
   * came first; undefined once some were dropped.
   */
  addAll(hashes: Float64Array, rows: Float64Array): Uint32Array | undefined {
    this.#reserve(hashes.length);
    const numbers = new Uint32Array(hashes.length);
    for (let index = 0; index < hashes.length; index++) {
      numbers[index] = this.#add(hashes[index]!, rows[index]!);
    }
    return this.#dropped === 0 ? numbers : undefined;
  }

  /**
   * Makes slots for more hashes before they come: hashes that come in order fill the first slots of a
   * table that is too small for them, and each is then compared with thousands.
   */
  #reserve(hashes: number): void {
    const countMax = Math.min(this.#count + hashes, this.hashesMax);
    let slots = this.#keys.length;
    while (countMax * 2 > slots) slots *= 2;
    if (slots > this.#keys.length) this.#rebuild(slots, 0);
  }

  #add(hash: number, rows: number): number {
    const slot = this.#slotOf(hash);
    this.#rows[slot]! += rows;
    if (this.#keys[slot] !== 0) return this.#numbers[slot]!;
    this.#keys[slot] = hash + 1;
    const number = this.#dropped === 0 ? this.#count : LATE;
    this.#numbers[slot] = number;
    this.#count++;
    if (this.#count > this.hashesMax) this.#prune();
    return number;
  }

  rowsOf(hash: number): number {
    return this.#rows[this.#slotOf(hash)]!;
  }

  /** Returns true if the rows of a hash are exact: it was never dropped. */
  isExact(hash: number): boolean {
    const slot = this.#slotOf(hash);
    return this.#keys[slot] !== 0 && this.#numbers[slot] !== LATE;
  }

  /** Returns the most rows that a hash which is not in `known` may have. */
  mostWithout(known: ReadonlySet<number>): number {
    let most = this.#dropped;
    for (let slot = 0; slot < this.#keys.length; slot++) {
      const rows = this.#rows[slot]! + (this.#numbers[slot] === LATE ? this.#dropped : 0);
      if (rows > most && !known.has(this.#keys[slot]! - 1)) most = rows;
    }
    return most;
  }

  /** Returns how many of its hashes the other one also has. */
  sharedWith(other: HashCounts): number {
    let shared = 0;
    for (const key of this.#keys) if (key !== 0 && other.rowsOf(key - 1) > 0) shared++;
    return shared;
  }

  #slotOf(hash: number): number {
    const keys = this.#keys;
    let slot = Math.floor(hash * (keys.length / 2 ** HASH_BITS));
    while (keys[slot] !== 0 && keys[slot] !== hash + 1) slot = (slot + 1) & (keys.length - 1);
    return slot;
  }

  /** Drops the hashes with the fewest rows, at least half of all. */
  #prune(): void {
    const counts = new Uint32Array(ROWS_DISTINGUISHED);
    for (const rows of this.#rows) {
      if (rows > 0) counts[Math.min(rows, ROWS_DISTINGUISHED - 1)]!++;
    }
    let [most, left] = [0, this.#count / 2];
    while (left > 0) left -= counts[++most]!;
    this.#dropped += most;
    this.#rebuild(this.#keys.length, most);
  }

  /** Keeps the hashes of more than `rowsMin` rows. */
  #rebuild(slots: number, rowsMin: number): void {
    const [keys, rows, numbers] = [this.#keys, this.#rows, this.#numbers];
    this.#keys = new Float64Array(slots);
    this.#rows = new Float64Array(slots);
    this.#numbers = new Uint32Array(slots);
    this.#count = 0;
    for (let slot = 0; slot < keys.length; slot++) {
      if (keys[slot] === 0 || rows[slot]! <= rowsMin) continue;
      const target = this.#slotOf(keys[slot]! - 1);
      this.#keys[target] = keys[slot]!;
      this.#rows[target] = rows[slot]!;
      this.#numbers[target] = numbers[slot]!;
      this.#count++;
    }
  }
}
