import { KEY_CHECK, KEY_ORDINAL, KEY_ROW, KEY_WORDS } from "./key-digests.js";

/** u32 words of a slot: the digest, then the file (from 1), ordinal and position of its first event. */
const SLOT_WORDS = 8;
const SLOT_FILE = 4;
const SLOT_ORDINAL = 5;
const SLOT_POSITION = 6;

/**
 * u32 words of a drop: ordinal and check of the event, file, ordinal and position of the first one,
 * then the position of the event.
 */
export const DROP_WORDS = 6;
export const DROP_POSITION = 5;

/** The share of keys that a table takes: one of `slices` (a power of two), by bits of the digest. */
export interface KeySlice {
  readonly slice: number;
  readonly slices: number;
}

/** Finds repeated keys by open addressing, in memory that is allocated once. */
export class KeyTable {
  #slots = new Uint32Array();
  #mask = 0;
  #drops = new Uint32Array(4_096 * DROP_WORDS);

  /** Makes the table empty, with room for this number of keys. */
  clear(keys: number): void {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, keys) * 1.4));
    if (this.#slots.length < slots * SLOT_WORDS) this.#slots = new Uint32Array(slots * SLOT_WORDS);
    else this.#slots.fill(0, 0, slots * SLOT_WORDS);
    this.#mask = slots - 1;
  }

  /**
   * Adds the entries of a file (from 1) and returns a drop for each key that the table had before;
   * valid until the next call. `skipped`: ordinals, in order, of events that do not count.
   */
  add(entries: Uint32Array, file: number, part: KeySlice, skipped?: Uint32Array): Uint32Array {
    const count = entries.length / KEY_WORDS;
    if (this.#drops.length < count * DROP_WORDS) this.#drops = new Uint32Array(count * DROP_WORDS);
    const drops = addEntries(this.#slots, this.#mask, entries, file, part, this.#drops, skipped);
    return this.#drops.subarray(0, drops * DROP_WORDS);
  }
}

function addEntries(
  slots: Uint32Array,
  mask: number,
  entries: Uint32Array,
  file: number,
  { slice, slices }: KeySlice,
  drops: Uint32Array,
  skipped: Uint32Array | undefined,
): number {
  let count = 0;
  for (let entry = 0; entry < entries.length; entry += KEY_WORDS) {
    const first = entries[entry]!;
    if ((first & (slices - 1)) !== slice) continue;
    const ordinal = entries[entry + KEY_ORDINAL]!;
    if (skipped !== undefined && has(skipped, ordinal)) continue;
    const [second, third] = [entries[entry + 1]!, entries[entry + 2]!];
    const check = entries[entry + KEY_CHECK]!;
    for (let probe = third & mask; ; probe = (probe + 1) & mask) {
      const slot = probe * SLOT_WORDS;
      const known = slots[slot + SLOT_FILE]!;
      if (known === 0) {
        slots[slot] = first;
        slots[slot + 1] = second;
        slots[slot + 2] = third;
        slots[slot + KEY_CHECK] = check;
        slots[slot + SLOT_FILE] = file;
        slots[slot + SLOT_ORDINAL] = ordinal;
        slots[slot + SLOT_POSITION] = entries[entry + KEY_ROW]!;
        break;
      }
      const isSame =
        slots[slot] === first &&
        slots[slot + 1] === second &&
        slots[slot + 2] === third &&
        slots[slot + KEY_CHECK] === check;
      if (!isSame) continue;
      const drop = count++ * DROP_WORDS;
      drops[drop] = ordinal;
      drops[drop + 1] = check;
      drops[drop + 2] = known;
      drops[drop + 3] = slots[slot + SLOT_ORDINAL]!;
      drops[drop + 4] = slots[slot + SLOT_POSITION]!;
      drops[drop + DROP_POSITION] = entries[entry + KEY_ROW]!;
      break;
    }
  }
  return count;
}

/** Searches numbers in ascending order. */
function has(numbers: Uint32Array, wanted: number): boolean {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted;
}
