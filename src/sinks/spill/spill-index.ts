import { createHash } from "node:crypto";
import { packEntryLayout } from "../../batch/layouts.js";

/** Packed rows of one day in a spill file. */
interface SpilledPack {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly rows: number;
  /** Offset in the file. */
  readonly offset: number;
  readonly bytes: number;
  /** Checksum of bytes, day and rows: see `checksumPack` in src/kernels/sink/pack-checksum.ts. */
  readonly checksum: number;
}

/**
 * Size of an entry, in little-endian: offset f64, day i32, then u32 each: rows, bytes, checksum.
 * They are the content of the index beside a spill file, in the order of the packs: by day and,
 * within a day, by row.
 */
export const PACK_ENTRY_BYTES = packEntryLayout.bytes;

/** Offsets of the members in an entry. */
const OFFSET_OFFSET = packEntryLayout.doubles.offset * 8;
const DAY_OFFSET = packEntryLayout.words.day * 4;
const ROWS_OFFSET = packEntryLayout.words.rows * 4;
const BYTES_OFFSET = packEntryLayout.words.bytes * 4;
const CHECKSUM_OFFSET = packEntryLayout.words.checksum * 4;

const ENTRIES_AT_FIRST = 256;

/** Gathers the entries of a spill file while it is written. */
export class SpillIndexBuilder {
  #view = new DataView(new ArrayBuffer(ENTRIES_AT_FIRST * PACK_ENTRY_BYTES));
  #packs = 0;
  #lastDay = Number.NEGATIVE_INFINITY;
  #isSorted = true;

  get packs(): number {
    return this.#packs;
  }

  /** True for every split that fits into one row buffer. */
  get isSorted(): boolean {
    return this.#isSorted;
  }

  add(pack: SpilledPack): void {
    if (pack.day < this.#lastDay) this.#isSorted = false;
    this.#lastDay = pack.day;
    const at = this.#packs * PACK_ENTRY_BYTES;
    if (at === this.#view.byteLength) this.#grow();
    const view = this.#view;
    view.setFloat64(at + OFFSET_OFFSET, pack.offset, true);
    view.setInt32(at + DAY_OFFSET, pack.day, true);
    view.setUint32(at + ROWS_OFFSET, pack.rows, true);
    view.setUint32(at + BYTES_OFFSET, pack.bytes, true);
    view.setUint32(at + CHECKSUM_OFFSET, pack.checksum, true);
    this.#packs++;
  }

  /** Returns the entries in the order of the days. */
  finish(): Uint8Array {
    if (this.#isSorted) return new Uint8Array(this.#view.buffer, 0, this.#packs * PACK_ENTRY_BYTES);
    const dayOf = (pack: number) => this.#view.getInt32(pack * PACK_ENTRY_BYTES + DAY_OFFSET, true);
    const places = Uint32Array.from({ length: this.#packs }, (_, pack) => pack);
    places.sort((one, other) => dayOf(one) - dayOf(other) || one - other);
    const sorted = new Uint8Array(this.#packs * PACK_ENTRY_BYTES);
    for (const [place, pack] of places.entries()) {
      const entry = new Uint8Array(this.#view.buffer, pack * PACK_ENTRY_BYTES, PACK_ENTRY_BYTES);
      sorted.set(entry, place * PACK_ENTRY_BYTES);
    }
    return sorted;
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#view.byteLength);
    grown.set(new Uint8Array(this.#view.buffer));
    this.#view = new DataView(grown.buffer);
  }
}

/** The entries of a spill file. */
export class SpillIndex {
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get packs(): number {
    return this.#view.byteLength / PACK_ENTRY_BYTES;
  }

  /** Changes the offset of a pack. */
  move(place: number, offset: number): void {
    this.#view.setFloat64(place * PACK_ENTRY_BYTES + OFFSET_OFFSET, offset, true);
  }

  /** Returns the index of the first pack from `day` on; `packs` if there is none. */
  firstFrom(day: number): number {
    let [low, high] = [0, this.packs];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.pack(middle).day >= day) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  pack(place: number): SpilledPack {
    const view = this.#view;
    const at = place * PACK_ENTRY_BYTES;
    return {
      offset: view.getFloat64(at + OFFSET_OFFSET, true),
      day: view.getInt32(at + DAY_OFFSET, true),
      rows: view.getUint32(at + ROWS_OFFSET, true),
      bytes: view.getUint32(at + BYTES_OFFSET, true),
      checksum: view.getUint32(at + CHECKSUM_OFFSET, true),
    };
  }
}

/**
 * SHA-256 in lower-case hexadecimal. It covers the checksums of all packs, and so the whole file.
 */
export function digestOfIndex(entries: Uint8Array): string {
  return createHash("sha256").update(entries).digest("hex");
}
