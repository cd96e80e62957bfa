import type { Column } from "./column.js";
import { type Kernel, Region, storeU32s } from "./kernel.js";
import { KernelRecord } from "./kernel-record.js";
import { keyRowsLayout } from "./layouts.js";

/** u32 words of an entry: four of the digest, then its index among the entries, and its row. */
export const ID_ENTRY_WORDS = 6;
export const ID_ENTRY_ROW = 5;

/** Digests ids, or tuples of ids, to 128 bits. Kernel memory is allocated once and grows with the rows. */
export class IdDigests {
  readonly #kernel: Kernel;
  readonly #record: KernelRecord<keyof typeof keyRowsLayout.words>;
  readonly #entries: Region;
  readonly #buckets: Region;

  constructor(kernel: Kernel, columns: readonly Column[]) {
    this.#kernel = kernel;
    this.#record = new KernelRecord(kernel, keyRowsLayout);
    this.#entries = new Region(kernel, 0);
    this.#buckets = new Region(kernel, 0);
    const addresses = columns.map(({ address }) => address);
    this.#record.set("columns", storeU32s(kernel, addresses));
    this.#record.set("columnCount", columns.length);
    this.#record.set("required", columns[0]?.address ?? 0);
    this.#record.set("digestBits", 16);
  }

  /**
   * Returns the entries of the rows whose outcome is 0 and whose first column is not null, valid until the
   * next call. `outcomes`: the address of one byte for each row.
   */
  take(outcomes: number, rows: number): Uint32Array {
    this.#entries.ensure(rows * ID_ENTRY_WORDS * 4);
    this.#buckets.ensure(rows * 2);
    this.#record.set("rows", rows);
    this.#record.set("outcomes", outcomes);
    this.#record.set("entries", this.#entries.address);
    this.#record.set("buckets", this.#buckets.address);
    const count = this.#kernel.run.digestKeys(this.#record.address, 0);
    const start = this.#entries.address / 4;
    return this.#kernel.u32.subarray(start, start + count * ID_ENTRY_WORDS);
  }
}
