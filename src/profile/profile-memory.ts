import {
  PROFILE_KEY_TEXT_BYTES_MAX,
  PROFILE_KEYS_MAX,
  PROFILE_NAMES_MAX,
  PROFILE_VALUE_BYTES,
} from "../base/limits.js";
import { type Kernel, LOOSE_BYTES } from "../batch/kernel.js";
import { KernelRecord, writeWords } from "../batch/kernel-record.js";
import { arenaLayout, groupLayout, keyLayout, profileLayout } from "../batch/layouts.js";
import { slotCountFor } from "./kernel-tables.js";
import { placeSecretNames } from "./secret-names.js";

/** Bytes of the text of an entry. */
export const TEXT_BYTES = 64;

/** Bytes of registers for distinct values. */
export const VALUE_REGISTER_BYTES = 256;
export const ID_REGISTER_BYTES = 2 ** 14;
export const INSERT_ID_REGISTER_BYTES = 2 ** 16;
/** Bytes with a bit for each number of a user. */
export const NAME_USERS_BYTES = 2 ** 13;

const KEY_SCRATCH_BYTES = 4096;
const MEMBER_BYTES = 12;
const PICK_GROUPS = 96;
const PICK_BYTES = 24;
export const LARGEST_MAX = 10;
export const SIZE_CLASSES = 33 * 64;
const FIGURES = 15;
const REJECT_CODES = 32;
/** Kinds of rows of which some are looked at: by the targets that they lack, then by reject codes. */
export const LACKING_KINDS = 64;
export const KINDS = LACKING_KINDS + REJECT_CODES;
const UNSEEN_BYTES = KINDS * 2 * 4;

export const profileLimits = {
  namesMax: PROFILE_NAMES_MAX,
  keysMax: PROFILE_KEYS_MAX,
  keyTextBytesMax: PROFILE_KEY_TEXT_BYTES_MAX,
  valueBytes: PROFILE_VALUE_BYTES,
};

export type ProfileLimits = Readonly<typeof profileLimits>;

type ProfileWord = keyof typeof profileLayout.words;

/** The memory of a profile, allocated once. Pages are touched only as far as they are used. */
export class ProfileMemory {
  readonly #profile: KernelRecord<ProfileWord>;
  readonly #emptyUntil: ReadonlyMap<ProfileWord, number>;
  readonly #text: number;
  readonly #arena: number;

  /** `eventCounts` is the address of the event counts, which have at most `countedNamesMax` names. */
  constructor(
    private readonly kernel: Kernel,
    eventCounts: number,
    countedNamesMax: number,
    private readonly limits: ProfileLimits,
  ) {
    const { namesMax, keysMax, keyTextBytesMax } = limits;
    const allocate = (bytes: number) => kernel.allocate(bytes);
    // Names and keys are numbered from 1.
    const keySlots = slotCountFor(keysMax + 1);
    const groups = countedNamesMax + 1;
    this.#text = allocate(keyTextBytesMax + LOOSE_BYTES);
    this.#arena = allocate(limits.valueBytes);
    this.#profile = new KernelRecord(kernel, profileLayout);
    const fixed: Partial<Record<ProfileWord, number>> = {
      eventCounts,
      groups: allocate(groups * groupLayout.bytes),
      groupsMax: Math.min(namesMax, countedNamesMax),
      userGroup: allocate(groupLayout.bytes),
      keyIndex: allocate(keySlots * 4),
      keyMask: keySlots - 1,
      keys: allocate((keysMax + 1) * keyLayout.bytes),
      keysMax,
      arena: allocate(arenaLayout.bytes),
      members: allocate((keysMax + 1) * MEMBER_BYTES),
      scratch: allocate(KEY_SCRATCH_BYTES),
      picks: allocate(PICK_GROUPS * PICK_BYTES),
      largest: allocate(LARGEST_MAX * 4),
      users: allocate(ID_REGISTER_BYTES),
      devices: allocate(ID_REGISTER_BYTES),
      insertIDs: allocate(INSERT_ID_REGISTER_BYTES),
      sizeCounts: allocate(SIZE_CLASSES * 4),
      figures: allocate(FIGURES * 8),
      rejectedRows: allocate(REJECT_CODES * 4),
      unseen: allocate(UNSEEN_BYTES),
      groupUsers: allocate((namesMax + 1) * NAME_USERS_BYTES),
      takenUsers: allocate(8 * NAME_USERS_BYTES * 2),
      namesMax: groups,
      secretNames: placeSecretNames(kernel),
    };
    for (const [word, value] of Object.entries(fixed)) this.set(word as ProfileWord, value);
    this.#emptyUntil = new Map<ProfileWord, number>([
      ["groups", groups * groupLayout.bytes],
      ["userGroup", groupLayout.bytes],
      ["keyIndex", keySlots * 4],
      ["largest", LARGEST_MAX * 4],
      ["users", ID_REGISTER_BYTES],
      ["devices", ID_REGISTER_BYTES],
      ["insertIDs", INSERT_ID_REGISTER_BYTES],
      ["sizeCounts", SIZE_CLASSES * 4],
      ["figures", FIGURES * 8],
      ["rejectedRows", REJECT_CODES * 4],
      ["unseen", UNSEEN_BYTES],
    ]);
  }

  /** Rows for which no row stands that was looked at, by their kinds. */
  get unseen(): Int32Array {
    return new Int32Array(this.kernel.memory.buffer, this.get("unseen"), KINDS).slice();
  }

  /** Address of the record that kernels use. */
  get address(): number {
    return this.#profile.address;
  }

  get(word: ProfileWord): number {
    return this.#profile.get(word);
  }

  set(word: ProfileWord, value: number): void {
    this.#profile.set(word, value);
  }

  /** Discards everything. `seed` and the row numbers decide which rows are picked. */
  clear(seed: number): void {
    const { kernel, limits } = this;
    for (const [word, bytes] of this.#emptyUntil) {
      kernel.bytes.fill(0, this.get(word), this.get(word) + bytes);
    }
    const picks = this.get("picks");
    kernel.bytes.fill(0xff, picks, picks + PICK_GROUPS * PICK_BYTES);
    const arena = { next: this.#arena, end: this.#arena + limits.valueBytes };
    writeWords(kernel, arenaLayout, this.get("arena"), arena);
    this.set("text", this.#text);
    this.set("textEnd", this.#text + limits.keyTextBytesMax);
    this.set("keyCount", 1);
    this.set("objects", 0);
    this.set("rows", 0);
    this.set("lookedAt", 0);
    this.set("seed", seed);
  }
}
