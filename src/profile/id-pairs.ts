import type { Estimate } from "./report.js";

const SLOTS_MIN = 2 ** 12;
/** A share of less than one pair in 2^11 is not used: the slots need the other bits of the hash. */
const LEVEL_MAX = 11;

/**
 * Distinct pairs of a user and a device. Beyond `pairsMax`, a sample: each level halves the share of all
 * possible pairs that are kept, chosen by their hash, so that a pair is kept in every split or in none
 * (Gibbons, "Distinct sampling", 2001).
 */
export class IdPairs {
  /** 0 is a free slot, otherwise the hash of the user plus one. */
  #users = new Float64Array(SLOTS_MIN);
  #devices = new Float64Array(SLOTS_MIN);
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
    const mask = this.#users.length - 1;
    let slot = hash & mask;
    while (this.#users[slot] !== 0) {
      if (this.#users[slot] === user + 1 && this.#devices[slot] === device) return;
      slot = (slot + 1) & mask;
    }
    if (this.#count === this.pairsMax) {
      if (this.#level === LEVEL_MAX) return;
      this.#level++;
      this.#rebuild(this.#users.length);
      this.add(user, device);
      return;
    }
    this.#users[slot] = user + 1;
    this.#devices[slot] = device;
    this.#count++;
    if (this.#count * 2 > this.#users.length) this.#rebuild(this.#users.length * 2);
  }

  *[Symbol.iterator](): Generator<readonly [user: number, device: number]> {
    for (const [slot, user] of this.#users.entries()) {
      if (user !== 0) yield [user - 1, this.#devices[slot]!];
    }
  }

  /** Estimates distinct pairs of which `count` are kept. */
  estimate(count: number): Estimate {
    if (this.#level === 0) return { count, error: 0 };
    const share = 2 ** -this.#level;
    return { count: count / share, error: Math.sqrt((1 - share) / Math.max(1, count)) };
  }

  #rebuild(slots: number): void {
    const [users, devices] = [this.#users, this.#devices];
    this.#users = new Float64Array(slots);
    this.#devices = new Float64Array(slots);
    this.#count = 0;
    for (let slot = 0; slot < users.length; slot++) {
      if (users[slot] !== 0) this.add(users[slot]! - 1, devices[slot]!);
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
