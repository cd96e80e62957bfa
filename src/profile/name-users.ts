import type { Kernel } from "../batch/kernel.js";
import { groupLayout } from "../batch/layouts.js";
import { ID_REGISTER_BYTES, type ProfileMemory } from "./profile-memory.js";
import type { Estimate } from "./report.js";
import { Registers } from "./sketches.js";

/** The users of an event name in a part of a split: their indexes (u16). */
interface TakenUsers {
  readonly name: number;
  readonly indexes: Uint8Array;
}

/**
 * Takes the users of each event name out of kernel memory. `numbers` is the address of the indexes of the
 * numbers of users, of which there are `count`.
 */
export function takeNameUsers(
  kernel: Kernel,
  memory: ProfileMemory,
  count: number,
  numbers: number,
): readonly TakenUsers[] {
  const groups = memory.get("groups") / 4;
  const target = memory.get("takenUsers");
  const taken: TakenUsers[] = [];
  for (let name = 1; name <= memory.get("groupsMax"); name++) {
    const group = groups + (name * groupLayout.bytes) / 4;
    const bits = kernel.u32[group + groupLayout.words.users]!;
    kernel.u32[group + groupLayout.words.users] = 0;
    if (bits === 0) continue;
    const users = kernel.run.takeNumbers(bits, count, numbers, target);
    if (users === 0) continue;
    taken.push({ name: name - 1, indexes: kernel.bytes.slice(target, target + users * 2) });
  }
  return taken;
}

/** Users of a part of a split: their hashes by their indexes and, while none is dropped, their numbers over all splits. */
export interface NumberedHashes {
  hashAt(index: number): number;
  readonly numbers: Uint32Array | undefined;
}

/** Bytes that all names may still use to count their users exactly. */
export interface UsersBudget {
  left: number;
}

const BITS_MIN = 2 ** 10;

/**
 * Distinct users of one event name: exact while all users are numbered and the budget lasts, then an
 * estimate. `salt` differs by name: otherwise names that have the same users would have the same error.
 */
export class NameUsers {
  /** A bit for each number of a user; undefined if the number of users is an estimate. */
  #bits: Uint32Array | undefined = new Uint32Array(0);
  #count = 0;
  readonly #registers = new Registers(ID_REGISTER_BYTES);

  constructor(
    private readonly salt: number,
    private readonly budget: UsersBudget,
  ) {}

  /** Adds the users at these indexes. */
  addAll(indexes: Uint16Array, { hashAt, numbers }: NumberedHashes): void {
    const bits = numbers && this.#reserve(indexes, numbers);
    this.#bits = bits;
    for (const index of indexes) {
      if (bits !== undefined && !this.#isNew(bits, numbers![index]!)) continue;
      this.#registers.add(salted(hashAt(index), this.salt));
    }
  }

  estimate(): Estimate {
    if (this.#bits !== undefined) return { count: this.#count, error: 0 };
    return this.#registers.estimate();
  }

  #isNew(bits: Uint32Array, number: number): boolean {
    const bit = 1 << (number & 31);
    if ((bits[number >>> 5]! & bit) !== 0) return false;
    bits[number >>> 5]! |= bit;
    this.#count++;
    return true;
  }

  /** Returns bits that have room for all numbers; undefined if the budget is too small. */
  #reserve(indexes: Uint16Array, numbers: Uint32Array): Uint32Array | undefined {
    const bits = this.#bits;
    let most = 0;
    for (const index of indexes) most = Math.max(most, numbers[index]!);
    if (bits === undefined || most < bits.length * 32) return bits;
    let words = Math.max(BITS_MIN / 32, bits.length);
    while (words * 32 <= most) words *= 2;
    this.budget.left -= (words - bits.length) * 4;
    if (this.budget.left < 0) {
      this.budget.left += words * 4;
      return undefined;
    }
    const larger = new Uint32Array(words);
    larger.set(bits);
    return larger;
  }
}

/** Mixes a hash of 48 bits with a salt into 53 bits. */
function salted(hash: number, salt: number): number {
  const [high, low] = [Math.floor(hash / 2 ** 24), hash % 2 ** 24];
  const one = mixed(Math.imul(high, 0x9e37_79b1) ^ low ^ Math.imul(salt + 1, 0x85eb_ca6b));
  const two = mixed(Math.imul(low, 0xc2b2_ae35) ^ high ^ Math.imul(salt + 1, 0x27d4_eb2f));
  return one * 2 ** 21 + (two >>> 11);
}

/** The finalizer of MurmurHash3. */
function mixed(word: number): number {
  let hash = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
