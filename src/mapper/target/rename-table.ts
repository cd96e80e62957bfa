import { SwitchyardError } from "../../base/errors.js";
import { formatCount } from "../../base/format-count.js";
import { RENAMES_MAX } from "../../base/limits.js";
import { type Kernel, storeText } from "../../batch/kernel.js";
import { KernelRecord, placeRecord } from "../../batch/kernel-record.js";
import { renameLayout, renameTableLayout } from "../../batch/layouts.js";

/** The judgement of a text: the marks of the rules that it breaks, and the text that replaces it. */
interface Judged {
  readonly marks: number;
  /** Absent: it stays. */
  readonly text?: string;
}

const SLOTS_MIN = 1_024;

/** Texts beyond the limit that are kept for the rows at hand. */
const OTHERS_MAX = 16_384;

/**
 * Texts in kernel memory that a target does not take as they are, each judged once, with the number of
 * events that have it. It lists at most `RENAMES_MAX`. Further ones are judged for the rows at hand and
 * forgotten, or throw `names_too_many` if a repair needs them all.
 */
export class RenameTable {
  /** Address of the record that kernels use. */
  readonly address: number;
  readonly #entries: number[] = [];
  readonly #texts: string[] = [];
  readonly #record: KernelRecord<keyof typeof renameTableLayout.words>;
  #hasForgotten = false;
  #slots: number;

  constructor(
    private readonly kernel: Kernel,
    private readonly judge: (text: string) => Judged,
    /** Names the texts in an error: `event names`. */
    private readonly kind: string,
    private readonly needsAll: boolean,
  ) {
    this.#record = new KernelRecord(kernel, renameTableLayout);
    this.address = this.#record.address;
    this.#slots = this.#makeSlots(SLOTS_MIN);
  }

  /** Adds the text of these bytes, which must not be known. */
  add(start: number, length: number): void {
    const { kernel } = this;
    const text = decoder.decode(kernel.bytes.subarray(start, start + length));
    if (this.needsAll && this.#entries.length === RENAMES_MAX) throw tooMany(this.kind, text);
    const { marks, text: after } = this.judge(text);
    const kept = kernel.allocate(length);
    kernel.bytes.copyWithin(kept, start, start + length);
    const replacement = after === undefined ? { address: 0, length: 0 } : storeText(kernel, after);
    const entry = placeRecord(kernel, renameLayout, {
      hash: 0,
      start: kept,
      length,
      newStart: replacement.address,
      newLength: replacement.length,
      marks,
      rows: 0,
    });
    this.#entries.push(entry);
    this.#texts.push(text);
    if (this.#entries.length * 2 > this.#slots) this.#grow();
    else kernel.run.addRename(this.address, entry);
  }

  /** True if there are more texts than are listed. */
  get isCut(): boolean {
    return this.#hasForgotten || this.#entries.length > RENAMES_MAX;
  }

  /**
   * Forgets the texts beyond the limit if there are many. Returns true if it has: no address of an entry
   * may be in use.
   */
  forgetOthers(): boolean {
    if (this.#entries.length <= RENAMES_MAX + OTHERS_MAX) return false;
    this.#hasForgotten = true;
    this.#free(RENAMES_MAX);
    for (const entry of this.#entries) this.kernel.run.addRename(this.address, entry);
    return true;
  }

  /** Returns the texts with the events that have them, in the order in which they came; none without events. */
  counts(): readonly (readonly [text: string, rows: number])[] {
    const { u32 } = this.kernel;
    const rowsOf = (entry: number) => u32[entry / 4 + renameLayout.words.rows]!;
    return this.#texts
      .slice(0, RENAMES_MAX)
      .map((text, index) => [text, rowsOf(this.#entries[index] as number)] as const)
      .filter(([, rows]) => rows > 0);
  }

  /** Forgets all texts, so that the limit is that of a split. */
  clear(): void {
    this.#hasForgotten = false;
    this.#free(0);
  }

  /** Frees the entries from an index on, and empties the slots. */
  #free(first: number): void {
    const { u32 } = this.kernel;
    const { start, newStart, newLength } = renameLayout.words;
    for (const entry of this.#entries.slice(first)) {
      this.kernel.free(u32[entry / 4 + start]!);
      if (u32[entry / 4 + newLength]! > 0) this.kernel.free(u32[entry / 4 + newStart]!);
      this.kernel.free(entry);
    }
    this.#entries.length = first;
    this.#texts.length = first;
    const slots = this.#record.get("slots");
    this.kernel.bytes.fill(0, slots, slots + this.#slots * 4);
  }

  #grow(): void {
    this.kernel.free(this.#record.get("slots"));
    this.#slots = this.#makeSlots(this.#slots * 4);
    for (const entry of this.#entries) this.kernel.run.addRename(this.address, entry);
  }

  #makeSlots(count: number): number {
    const slots = this.kernel.allocate(count * 4);
    this.kernel.bytes.fill(0, slots, slots + count * 4);
    this.#record.set("slots", slots);
    this.#record.set("mask", count - 1);
    return count;
  }
}

function tooMany(kind: string, text: string): SwitchyardError {
  return new SwitchyardError(
    "names_too_many",
    `More than ${formatCount(RENAMES_MAX)} ${kind} are not valid at the target, such as ${JSON.stringify(text.slice(0, 80))}: they hold ids or times. Use a transform that moves these into a property.`,
  );
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
