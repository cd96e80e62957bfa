import { omitUndefined } from "../base/omit-undefined.js";
import { type Kernel, LOOSE_BYTES, Region } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { idEntryLayout, idTableLayout, idTablesLayout } from "../batch/layouts.js";
import { FITTING_ROWS_MAX, type LargerRows } from "./hash-counts.js";
import { takeNameUsers } from "./name-users.js";
import { OddIds } from "./odd-ids.js";
import { type ProfileMemory, TEXT_BYTES } from "./profile-memory.js";
import { decodeCut } from "./profile-tables.js";
import type { SplitIdKind, SplitIds, SplitIdText } from "./split-profile.js";
import { TAKEN_ID_BYTES, TAKEN_PAIR_BYTES } from "./taken-ids.js";

/** Slots and entries of a table (`ID_SLOT_BITS` and `TABLE_IDS_MAX` in src/kernels/profile/ids.ts). */
const SLOT_BITS = 17;
const SLOTS = 2 ** SLOT_BITS;
export const TABLE_IDS_MAX = 65_535;

const ENTRY_WORDS = idEntryLayout.bytes / 4;

/** Counts users, devices, their pairs, and the users of each event name in kernel memory. */
export class IdCounts {
  readonly #tables: KernelRecord<keyof typeof idTablesLayout.words>;
  readonly #users: IdTable;
  readonly #devices: IdTable;
  readonly #bytes: Region;
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
    this.#bytes = new Region(kernel, 0);
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
    const { kernel } = this;
    const pairs = this.#tables.get("pairCount");
    const deviceBytes = this.#users.count * TAKEN_ID_BYTES;
    const pairBytes = deviceBytes + this.#devices.count * TAKEN_ID_BYTES;
    const end = pairBytes + pairs * TAKEN_PAIR_BYTES;
    this.#bytes.ensure(end);
    const start = this.#bytes.address;
    const users = this.#users.take(start);
    const devices = this.#devices.take(start + deviceBytes);
    kernel.run.takePairs(
      this.address,
      start + pairBytes,
      this.#users.numbers,
      this.#devices.numbers,
    );
    const names = takeNameUsers(kernel, this.memory, this.#users.count, this.#users.numbers);
    const bytes = Buffer.concat([
      kernel.bytes.subarray(start, start + end),
      ...names.map(({ indexes }) => indexes),
    ]);
    this.#taken.push({
      users,
      devices,
      pairs,
      names: names.map(({ name, indexes }) => [name, indexes.length / 2] as const),
      bytes,
    });
    kernel.run.clearIds(this.address);
  }

  result(): readonly SplitIds[] {
    this.makeRoom();
    return this.#taken;
  }
}

/** The ids of one kind. */
class IdTable {
  /** Address of the index (u16) of each number of an id among those that were taken out. */
  readonly numbers: number;
  readonly #table: KernelRecord<keyof typeof idTableLayout.words>;
  readonly #marks: number;

  constructor(
    private readonly kernel: Kernel,
    private readonly odd: OddIds,
  ) {
    this.#table = new KernelRecord(kernel, idTableLayout);
    this.#table.set("slots", kernel.allocate(SLOTS * 4));
    this.#table.set("entries", kernel.allocate((TABLE_IDS_MAX + 1) * idEntryLayout.bytes));
    this.#table.set("texts", kernel.allocate(TABLE_IDS_MAX * TEXT_BYTES + LOOSE_BYTES));
    this.numbers = kernel.allocate((TABLE_IDS_MAX + 1) * 2);
    this.#marks = kernel.allocate(TABLE_IDS_MAX + 1);
  }

  get address(): number {
    return this.#table.address;
  }

  get count(): number {
    return this.#table.get("count");
  }

  /** Writes the ids to an address, and their `numbers`. */
  take(target: number): SplitIdKind {
    const { kernel, count, numbers } = this;
    const larger = kernel.run.takeIds(this.address, target, numbers);
    const indexes = new Uint16Array(kernel.memory.buffer, numbers, count + 1);
    const odd = this.odd.read(this.address, count, indexes, (number) => {
      const isCut = this.#word(number, "length") > TEXT_BYTES;
      return `${this.#textOf(number)}${isCut ? "…" : ""}`;
    });
    return {
      count,
      larger: larger === 0 ? [] : this.#larger(indexes),
      texts: this.#texts(indexes),
      ...omitUndefined({ odd }),
    };
  }

  #larger(indexes: Uint16Array): readonly LargerRows[] {
    const larger: LargerRows[] = [];
    for (let number = 1; number <= this.count; number++) {
      const rows = this.#word(number, "rows");
      if (rows > FITTING_ROWS_MAX) larger.push([indexes[number]!, rows]);
    }
    return larger;
  }

  #texts(indexes: Uint16Array): readonly SplitIdText[] {
    const { kernel, count } = this;
    kernel.run.markTexts(this.address, this.#marks);
    const marks = kernel.bytes.subarray(this.#marks, this.#marks + count + 1);
    const texts: SplitIdText[] = [];
    for (let number = marks.indexOf(1); number >= 0; number = marks.indexOf(1, number + 1)) {
      texts.push([indexes[number]!, this.#textOf(number), this.#word(number, "length")]);
    }
    return texts;
  }

  #word(number: number, name: keyof typeof idEntryLayout.words): number {
    const entry = this.#table.get("entries") / 4 + number * ENTRY_WORDS;
    return this.kernel.u32[entry + idEntryLayout.words[name]]!;
  }

  /** Returns the first bytes of an id. */
  #textOf(number: number): string {
    const length = this.#word(number, "length");
    const text = this.#word(number, "text");
    const bytes = this.kernel.bytes.subarray(text, text + Math.min(length, TEXT_BYTES));
    return decodeCut(bytes, length);
  }
}
