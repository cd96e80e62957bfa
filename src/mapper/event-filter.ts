import type { Column } from "../batch/column.js";
import type { Kernel } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { filterLayout, slotLayout } from "../batch/layouts.js";
import { placeTexts } from "./kernel-constant.js";

/** A power of two; four times the distinct names that the largest tools allow in a project. */
const SLOTS = 8_192;
/** Names that are remembered; further ones are judged anew on every row. */
const NAMES_MAX = 4_096;
const NAME_BYTES_MAX = 256 * 1024;

/** Names in or out by patterns, in which `*` is any text and `?` any character. Out wins. */
export class EventFilter {
  readonly #kernel: Kernel;
  readonly #address: number;

  /** Without includes every name is in. */
  constructor(kernel: Kernel, includes: readonly string[], excludes: readonly string[]) {
    this.#kernel = kernel;
    const slots = kernel.allocate(SLOTS * slotLayout.bytes);
    kernel.bytes.fill(0, slots, slots + SLOTS * slotLayout.bytes);
    const names = kernel.allocate(NAME_BYTES_MAX);
    const included = placeTexts(kernel, includes);
    const excluded = placeTexts(kernel, excludes);
    this.#address = placeRecord(kernel, filterLayout, {
      includes: included,
      includesEnd: included + includes.length * 8,
      excludes: excluded,
      excludesEnd: excluded + excludes.length * 8,
      slots,
      slotMask: SLOTS - 1,
      slotsLeft: NAMES_MAX,
      names,
      namesEnd: names + NAME_BYTES_MAX,
    });
  }

  /** Marks the rows whose name is out as filtered. */
  apply(names: Column, rows: number, outcomes: number): void {
    this.#kernel.run.filterEvents(this.#address, outcomes, names.address, rows);
  }
}
