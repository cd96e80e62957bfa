import type { Estimate } from "./report.js";

const SLOTS_MIN = 2 ** 12;
/** At least one pair in 2^11 is kept: the slots need the other bits of the hash. */
const LEVEL_MAX = 11;

/**
 * Distinct pairs of a user and a device; beyond `pairsMax`, a sample of them. Each level halves the share
 * of pairs that are kept. The hash decides, so a pair is kept in every split or in none (Gibbons, "Distinct
 * sampling", 2001).
 */
export class IdPairs {
  /** Two numbers a slot: 0 if it is free, otherwise the hash of the user plus one; that of the device. */
  #slots = new Float64Array(2 * SLOTS_MIN);
  #count = 0;
  #level = 0;

  constructor(private readonly pairsMax: number) {}

  /** Adds pairs of indexes of a user and a device. */
  addAll(indexes: Uint16Array, users: Float64Array, devices: Float64Array): void {
    for (let next = 0; next < indexes.length; next += 2) {
      this.add(users[indexes[next]!]!, devices[indexes[next + 1]!]!);
    }
  }

  add(user: number, device: number): void {
    const hash = hashOf(user, device);
    if (this.#level > 0 && hash >>> (32 - this.#level) !== 0) return;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (2 * hash) & mask;
    while (slots[at] !== 0) {
      if (slots[at] === user + 1 && slots[at + 1] === device) return;
      at = (at + 2) & mask;
    }
    if (this.#count === this.pairsMax) {
      if (this.#level === LEVEL_MAX) return;
      this.#level++;
      this.#rebuild(slots.length);
      this.add(user, device);
      return;
    }
    slots[at] = user + 1;
    slots[at + 1] = device;
    this.#count++;
    if (this.#count * 4 > slots.length) this.#rebuild(slots.length * 2);
  }

  *[Symbol.iterator](): Generator<readonly [user: number, device: number]> {
    const slots = this.#slots;
    for (let at = 0; at < slots.length; at += 2) {
      if (slots[at] !== 0) yield [slots[at]! - 1, slots[at + 1]!];
    }
  }

  /** Estimates the number of distinct pairs if `count` of them are kept. */
  estimate(count: number): Estimate {
    if (this.#level === 0) return { count, error: 0 };
    const share = 2 ** -this.#level;
    return { count: count / share, error: Math.sqrt((1 - share) / Math.max(1, count)) };
  }

  #rebuild(length: number): void {
    const pairs = this.#slots;
    this.#slots = new Float64Array(length);
    this.#count = 0;
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at] !== 0) this.add(pairs[at]! - 1, pairs[at + 1]!);
    }
  }
}

/** Mixes two hashes of 48 bits into 32 bits (the finalizer of MurmurHash3). */
function hashOf(user: number, device: number): number {
  let hash = Math.imul(user / 2 ** 16, 0x9e37_79b1) ^ Math.imul(device / 2 ** 16, 0x85eb_ca6b);
  hash ^= Math.imul(user & 0xffff, 0xc2b2_ae35) + (device & 0xffff);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
