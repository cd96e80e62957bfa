import {
  PROFILE_IDS_MAX,
  PROFILE_KEY_TEXT_BYTES_MAX,
  PROFILE_KEYS_MAX,
  PROFILE_NAMES_MAX,
  PROFILE_VALUE_BYTES,
} from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import { slotCountFor } from "./slot-count.js";

/** Bytes of the kernels' `Group`, `Key`, `Frequent`, and of an entry of a table of ids. */
export const GROUP_BYTES = 32;
export const KEY_BYTES = 128;
const FREQUENT_BYTES = 32;
const ID_ENTRY_BYTES = 144;
export const ID_OTHERS_BYTES = 64;

/** Bytes of registers for distinct values. */
export const VALUE_REGISTER_BYTES = 256;
export const ID_REGISTER_BYTES = 2 ** 14;
export const INSERT_ID_REGISTER_BYTES = 2 ** 16;
export const NAME_REGISTER_BYTES = 2 ** 10;

const KEY_SCRATCH_BYTES = 4096;
const MEMBER_BYTES = 12;
const PICK_GROUPS = 96;
const PICK_BYTES = 24;
export const LARGEST_MAX = 10;
export const SIZE_CLASSES = 33 * 64;
const FIGURES = 9;

/** Kernels copy in steps of 16 bytes and may pass the end of what they write. */
const LOOSE_BYTES = 16;

export interface ProfileLimits {
  readonly namesMax: number;
  readonly keysMax: number;
  readonly keyTextBytesMax: number;
  readonly valueBytes: number;
  readonly idsMax: number;
}

export const profileLimits: ProfileLimits = {
  namesMax: PROFILE_NAMES_MAX,
  keysMax: PROFILE_KEYS_MAX,
  keyTextBytesMax: PROFILE_KEY_TEXT_BYTES_MAX,
  valueBytes: PROFILE_VALUE_BYTES,
  idsMax: PROFILE_IDS_MAX,
};

/** The words of `Profile` in src/kernels/profile/profile.ts, in their order. */
const words = [
  ...["census", "groups", "groupsMax", "userGroup", "keyIndex", "keyMask", "keys", "keyCount"],
  ...["keysMax", "text", "textEnd", "arena", "members", "scratch", "objects", "picks"],
  ...["candidates", "candidateCount", "largest", "hours", "rejectedDays", "users", "devices"],
  ...["insertIDs", "idSet", "topUsers", "topDevices", "junk", "sizeCounts", "figures"],
  ...["groupUsers", "rows", "seed", "namesMax"],
] as const;
export type ProfileWord = (typeof words)[number];

const offsets = new Map<ProfileWord, number>(words.map((word, index) => [word, index]));

/** The memory of a profile, taken once. What it takes is only touched as far as it is used. */
export class ProfileMemory {
  /** What kernels take. */
  readonly address: number;
  readonly #emptyUntil: ReadonlyMap<ProfileWord, number>;
  readonly #text: number;
  readonly #arena: number;

  /** `census` is the address of the census that numbers the names, and has room for `censusNamesMax`. */
  constructor(
    private readonly kernel: Kernel,
    census: number,
    censusNamesMax: number,
    private readonly limits: ProfileLimits,
  ) {
    const { namesMax, keysMax, keyTextBytesMax } = limits;
    const allocate = (bytes: number) => kernel.allocate(bytes);
    // Names and keys are numbered from 1.
    const keySlots = slotCountFor(keysMax + 1);
    const groups = censusNamesMax + 1;
    this.#text = allocate(keyTextBytesMax + LOOSE_BYTES);
    this.#arena = allocate(limits.valueBytes);
    this.address = allocate(words.length * 4);
    kernel.words.fill(0, this.address / 4, this.address / 4 + words.length);
    const fixed: Partial<Record<ProfileWord, number>> = {
      census,
      groups: allocate(groups * GROUP_BYTES),
      groupsMax: Math.min(namesMax, censusNamesMax),
      userGroup: allocate(GROUP_BYTES),
      keyIndex: allocate(keySlots * 4),
      keyMask: keySlots - 1,
      keys: allocate((keysMax + 1) * KEY_BYTES),
      keysMax,
      arena: allocate(8),
      members: allocate((keysMax + 1) * MEMBER_BYTES),
      scratch: allocate(KEY_SCRATCH_BYTES),
      picks: allocate(PICK_GROUPS * PICK_BYTES),
      largest: allocate(LARGEST_MAX * 4),
      users: allocate(ID_REGISTER_BYTES),
      devices: allocate(ID_REGISTER_BYTES),
      insertIDs: allocate(INSERT_ID_REGISTER_BYTES),
      topUsers: allocate(FREQUENT_BYTES),
      topDevices: allocate(FREQUENT_BYTES),
      sizeCounts: allocate(SIZE_CLASSES * 4),
      figures: allocate(FIGURES * 8),
      groupUsers: allocate((namesMax + 1) * NAME_REGISTER_BYTES),
      namesMax: groups,
    };
    for (const [word, value] of Object.entries(fixed)) this.set(word as ProfileWord, value);
    this.#placeTables(["topUsers", "topDevices"]);
    this.#emptyUntil = new Map<ProfileWord, number>([
      ["groups", groups * GROUP_BYTES],
      ["userGroup", GROUP_BYTES],
      ["keyIndex", keySlots * 4],
      ["largest", LARGEST_MAX * 4],
      ["users", ID_REGISTER_BYTES],
      ["devices", ID_REGISTER_BYTES],
      ["insertIDs", INSERT_ID_REGISTER_BYTES],
      ["sizeCounts", SIZE_CLASSES * 4],
      ["figures", FIGURES * 8],
    ]);
  }

  get(word: ProfileWord): number {
    return this.kernel.words[this.address / 4 + (offsets.get(word) as number)] as number;
  }

  set(word: ProfileWord, value: number): void {
    this.kernel.words[this.address / 4 + (offsets.get(word) as number)] = value;
  }

  /** Forgets everything. `seed` decides, beside the rows' numbers, which of them are picked. */
  clear(seed: number): void {
    const { kernel, limits } = this;
    for (const [word, bytes] of this.#emptyUntil) {
      kernel.bytes.fill(0, this.get(word), this.get(word) + bytes);
    }
    const picks = this.get("picks");
    kernel.bytes.fill(0xff, picks, picks + PICK_GROUPS * PICK_BYTES);
    for (const word of ["topUsers", "topDevices"] as const) this.#clearTable(this.get(word));
    kernel.words.set([this.#arena, this.#arena + limits.valueBytes], this.get("arena") / 4);
    this.set("text", this.#text);
    this.set("textEnd", this.#text + limits.keyTextBytesMax);
    this.set("keyCount", 1);
    this.set("objects", 0);
    this.set("rows", 0);
    this.set("seed", seed);
  }

  /** Kernels' `Frequent`s: entries, index, count, max, bytes of an entry, taken, registers. */
  #placeTables(tables: readonly ProfileWord[]): void {
    const { kernel, limits } = this;
    const max = limits.idsMax;
    for (const word of tables) {
      const entries = kernel.allocate(max * ID_ENTRY_BYTES);
      const members = [entries, kernel.allocate(max * 4), 0, max, ID_ENTRY_BYTES, 0, 0];
      kernel.words.set(members, this.get(word) / 4);
    }
  }

  #clearTable(address: number): void {
    const { kernel } = this;
    const [, index = 0, , max = 0] = kernel.words.subarray(address / 4, address / 4 + 4);
    kernel.bytes.fill(0, index, index + max * 4);
    kernel.words[address / 4 + 2] = 0;
    kernel.words[address / 4 + 5] = 0;
  }
}
