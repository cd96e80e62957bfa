import { omitUndefined } from "../base/omit-undefined.js";
import type { Kernel } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { idEntryLayout, idTableLayout, idTablesLayout } from "../batch/layouts.js";
import { takeNameUsers } from "./name-users.js";
import { OddIds } from "./odd-ids.js";
import { type ProfileMemory, TEXT_BYTES } from "./profile-memory.js";
import { decodeCut } from "./profile-tables.js";
import type { SplitIdKind, SplitIds, SplitIdText } from "./split-profile.js";

/** Slots and entries of a table (`ID_SLOT_BITS` and `TABLE_IDS_MAX` in src/kernels/profile/ids.ts). */
const SLOT_BITS = 17;
const SLOTS = 2 ** SLOT_BITS;
export const TABLE_IDS_MAX = 65_535;

/** Ids whose texts are kept: those with the most rows, and those with the most other ids. */
const TEXTS_BY_ROWS = 1_024;
const TEXTS_BY_OTHERS = 256;

const ENTRY_WORDS = idEntryLayout.bytes / 4;

/** Bytes of a hash in the profile of a split. */
export const ID_HASH_BYTES = 6;

/** Counts users, devices, their pairs, and the users of each event name in kernel memory. */
export class IdCounts {
  readonly #tables: KernelRecord<keyof typeof idTablesLayout.words>;
  readonly #users: IdTable;
  readonly #devices: IdTable;
  #taken: SplitIds[] = [];

  constructor(
    private readonly kernel: Kernel,
    private readonly memory: ProfileMemory,
  ) {
    const odd = new OddIds(kernel);
    this.#users = new IdTable(kernel, odd);
    this.#devices = new IdTable(kernel, odd);
    this.#tables = new KernelRecord(kernel, idTablesLayout);
    this.#tables.set("users", this.#users.address);
    this.#tables.set("devices", this.#devices.address);
    this.#tables.set("pairs", kernel.allocate(SLOTS * 4));
  }

  /** Address of the record that kernels use. */
  get address(): number {
    return this.#tables.address;
  }

  clear(): void {
    this.#taken = [];
    this.kernel.run.clearIds(this.address);
  }

  /** Takes out the counts and empties the tables. Call it when they are full. */
  makeRoom(): void {
    const users = this.#users.read();
    const devices = this.#devices.read();
    const pairs = this.#pairs(users.numbers, devices.numbers);
    const names = takeNameUsers(this.kernel, this.memory, users.numbers);
    this.#taken.push({ users: users.kind, devices: devices.kind, pairs, names });
    this.kernel.run.clearIds(this.address);
  }

  result(): readonly SplitIds[] {
    this.makeRoom();
    return this.#taken;
  }

  #pairs(users: Uint16Array, devices: Uint16Array): string {
    const first = this.#tables.get("pairs") / 4;
    const pairs = new Uint16Array(this.#tables.get("pairCount") * 2);
    let next = 0;
    for (const pair of this.kernel.u32.subarray(first, first + SLOTS)) {
      if (pair === 0) continue;
      pairs[next++] = users[pair & 0xffff]!;
      pairs[next++] = devices[pair >>> 16]!;
    }
    return Buffer.from(pairs.buffer).toString("base64");
  }
}

/** The ids of one kind. */
class IdTable {
  readonly #table: KernelRecord<keyof typeof idTableLayout.words>;

  constructor(
    private readonly kernel: Kernel,
    private readonly odd: OddIds,
  ) {
    this.#table = new KernelRecord(kernel, idTableLayout);
    this.#table.set("slots", kernel.allocate(SLOTS * 4));
    this.#table.set("entries", kernel.allocate((TABLE_IDS_MAX + 1) * idEntryLayout.bytes));
    this.#table.set("texts", kernel.allocate((TABLE_IDS_MAX + 1) * TEXT_BYTES));
  }

  get address(): number {
    return this.#table.address;
  }

  /**
   * Returns the ids in the order of their slots, which is nearly that of their hashes: this makes adding
   * them up fast. `numbers` maps the number of an entry to its index in that order.
   */
  read(): { readonly kind: SplitIdKind; readonly numbers: Uint16Array } {
    const { u32 } = this.kernel;
    const { rows, others, length } = idEntryLayout.words;
    const hash = idEntryLayout.longs.hash * 2;
    const entries = this.#table.get("entries");
    const slots = this.#table.get("slots") / 4;
    const count = this.#table.get("count");
    const counts = Buffer.allocUnsafe(count * (ID_HASH_BYTES + VARINT_BYTES_MAX));
    const numbers = new Uint16Array(count + 1);
    const byRows = new Chosen(TEXTS_BY_ROWS, 1, u32, entries / 4 + rows, count);
    const byOthers = new Chosen(TEXTS_BY_OTHERS, 2, u32, entries / 4 + others, count);
    const texts: SplitIdText[] = [];
    let [index, end] = [0, 0];
    for (const slot of u32.subarray(slots, slots + SLOTS)) {
      if (slot === 0) continue;
      const number = slot & 0xffff;
      const entry = entries / 4 + number * ENTRY_WORDS;
      writeHash(counts, end, u32[entry + hash]!, u32[entry + hash + 1]!);
      end = writeVarint(counts, end + ID_HASH_BYTES, u32[entry + rows]!);
      // Call both once for each number, whatever the first returns.
      const [isByRows, isByOthers] = [byRows.has(number), byOthers.has(number)];
      if (isByRows || isByOthers) {
        texts.push([index, this.#textOf(number), u32[entry + length]!]);
      }
      numbers[number] = index++;
    }
    const odd = this.odd.read(this.address, count, numbers, (number) => {
      const isCut = this.#lengthOf(number) > TEXT_BYTES;
      return `${this.#textOf(number)}${isCut ? "…" : ""}`;
    });
    const kind = { counts: counts.toString("base64", 0, end), texts, ...omitUndefined({ odd }) };
    return { kind, numbers };
  }

  /** Returns the bytes of a whole id. */
  #lengthOf(number: number): number {
    const entry = this.#table.get("entries") / 4 + number * ENTRY_WORDS;
    return this.kernel.u32[entry + idEntryLayout.words.length]!;
  }

  /** Returns the first bytes of an id. */
  #textOf(number: number): string {
    const length = this.#lengthOf(number);
    const entry = this.#table.get("entries") / 4 + number * ENTRY_WORDS;
    const text = this.kernel.u32[entry + idEntryLayout.words.text]!;
    const bytes = this.kernel.bytes.subarray(text, text + Math.min(length, TEXT_BYTES));
    return decodeCut(bytes, length);
  }
}

/**
 * Chooses the `max` entries of a table with the largest amounts of at least `least`. `first` is the
 * index of the amount of entry 0, `count` the largest number of an entry.
 */
class Chosen {
  readonly #threshold: number;
  #leftAtThreshold: number;

  constructor(
    max: number,
    least: number,
    private readonly u32: Uint32Array,
    private readonly first: number,
    count: number,
  ) {
    const amounts = new Uint32Array(AMOUNTS);
    for (let number = 1; number <= count; number++) {
      amounts[this.#amountOf(number)]!++;
    }
    let [threshold, left] = [AMOUNTS, max];
    while (threshold > least && left > 0) left -= amounts[--threshold]!;
    this.#threshold = threshold;
    this.#leftAtThreshold = left + amounts[threshold]!;
  }

  /** Must be called once for each number. */
  has(number: number): boolean {
    const amount = this.#amountOf(number);
    if (amount !== this.#threshold) return amount > this.#threshold;
    return this.#leftAtThreshold-- > 0;
  }

  #amountOf(number: number): number {
    return Math.min(this.u32[this.first + number * ENTRY_WORDS]!, AMOUNTS - 1);
  }
}

/** Amounts that `Chosen` distinguishes: larger ones are counted together. */
const AMOUNTS = 1_024;

const VARINT_BYTES_MAX = 5;

/** Writes the upper `ID_HASH_BYTES` of a hash of 64 bits, the highest first. */
function writeHash(bytes: Uint8Array, start: number, lower: number, upper: number): void {
  bytes[start] = upper >>> 24;
  bytes[start + 1] = upper >>> 16;
  bytes[start + 2] = upper >>> 8;
  bytes[start + 3] = upper;
  bytes[start + 4] = lower >>> 24;
  bytes[start + 5] = lower >>> 16;
}

/** Seven bits in each byte, the lowest first; the upper bit says that more follow. */
function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let [at, rest] = [start, value];
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
}
