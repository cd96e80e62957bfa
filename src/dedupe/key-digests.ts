import { BATCH_ROWS_MAX, KEY_DAY_BITS, KEY_DIGEST_BITS } from "../base/limits.js";
import { createZone } from "../base/luxon-zone.js";
import type { Zone } from "../base/zone.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, LOOSE_BYTES, Region } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { keyRowsLayout } from "../batch/layouts.js";
import { fillDays } from "../batch/row-days.js";
import type { DedupeOptions } from "../options/dedupe-options.js";

/** u32 words of an entry: four of the digest, then those with these indexes. */
export const KEY_WORDS = 6;
export const KEY_BYTES = KEY_WORDS * 4;
export const KEY_ORDINAL = 4;
export const KEY_ROW = 5;
/** The word that a removed event is checked with; no table finds its slot by it. */
export const KEY_CHECK = 3;

/** Buckets of a key file. The keys of a day are in few buckets, so days can be compared separately. */
export const KEY_BUCKETS = 2 ** (KEY_DAY_BITS + KEY_DIGEST_BITS);

/** The keys of a batch, valid until the next call. */
interface KeysOfBatch {
  readonly count: number;
  /** `count` entries of `KEY_WORDS`; the row is that of the event batch. */
  readonly entries: Uint32Array;
  /** The bucket of each entry. */
  readonly buckets: Uint16Array;
}

/** Digests the keys of events. Kernel memory is allocated once and grows with the batch. */
export class KeyDigests {
  readonly #kernel: Kernel;
  readonly #options: DedupeOptions;
  readonly #zone: Zone;
  readonly #record: KernelRecord<keyof typeof keyRowsLayout.words>;
  readonly #columns: number;
  readonly #days: Region;
  readonly #siblings: Region;
  readonly #scratch: Region;
  readonly #entries: Region;
  readonly #buckets: Region;

  constructor(kernel: Kernel, options: DedupeOptions) {
    this.#kernel = kernel;
    this.#options = options;
    this.#zone = createZone(options.dayZone);
    this.#record = new KernelRecord(kernel, keyRowsLayout);
    this.#columns = kernel.allocate(options.by.length * 4);
    this.#days = new Region(kernel, BATCH_ROWS_MAX * 4);
    this.#siblings = new Region(kernel, 0);
    this.#scratch = new Region(kernel, 0);
    this.#entries = new Region(kernel, BATCH_ROWS_MAX * KEY_WORDS * 4);
    this.#buckets = new Region(kernel, BATCH_ROWS_MAX * 2);
  }

  /** Digests the delivered events; `ordinal` is that of the first one. */
  take(events: EventBatch, ordinal: number): KeysOfBatch {
    const { rows } = events;
    this.#entries.ensure(rows * KEY_WORDS * 4);
    this.#buckets.ensure(rows * 2);
    this.#describe(events);
    const count = this.#kernel.run.digestKeys(this.#record.address, ordinal);
    const { u32, bytes } = this.#kernel;
    const [start, buckets] = [this.#entries.address / 4, this.#buckets.address];
    return {
      count,
      entries: u32.subarray(start, start + count * KEY_WORDS),
      buckets: new Uint16Array(bytes.buffer, buckets, count),
    };
  }

  #describe(events: EventBatch): void {
    const { rows, outcomes, timestamps, insertID } = events;
    const { within, by } = this.#options;
    const columns = by.flatMap((target) => {
      if (target === "timestamp") return [];
      const column = events[target];
      if (column === undefined) throw new Error(`the mapper gave no ${target}`);
      return [column.address];
    });
    const isByDay = within === "day";
    if (isByDay) {
      this.#days.ensure(rows * 4);
      fillDays(this.#kernel, events, this.#zone, this.#days.address);
    }
    const siblings = rows === events.batch.rows ? 0 : this.#countSiblings(events);
    const scalars = by.includes("value") ? events.value.address : 0;
    if (scalars !== 0) {
      this.#scratch.ensure(this.#kernel.run.cellBytes(outcomes, scalars, rows) + LOOSE_BYTES);
    }
    this.#kernel.u32.set(columns, this.#columns / 4);
    const values = {
      rows,
      outcomes,
      columns: this.#columns,
      columnCount: columns.length,
      required: by.includes("insertID") ? (insertID?.address ?? 0) : 0,
      timestamps: by.includes("timestamp") ? timestamps : 0,
      days: isByDay ? this.#days.address : 0,
      siblings,
      entries: this.#entries.address,
      buckets: this.#buckets.address,
      dayBits: isByDay ? KEY_DAY_BITS : 0,
      digestBits: isByDay ? KEY_DIGEST_BITS : KEY_DAY_BITS + KEY_DIGEST_BITS,
      scalars,
      scratch: this.#scratch.address,
    };
    for (const [name, value] of Object.entries(values)) {
      this.#record.set(name as keyof typeof values, value);
    }
  }

  /** Numbers the events that a transform made from one row: they never count as repeats of each other. */
  #countSiblings({ rows, sourceRow }: EventBatch): number {
    this.#siblings.ensure(rows * 4);
    const { address } = this.#siblings;
    const { u32 } = this.#kernel;
    let [before, index] = [-1, 0];
    for (let row = 0; row < rows; row++) {
      const source = sourceRow(row);
      index = source === before ? index + 1 : 0;
      before = source;
      u32[address / 4 + row] = index;
    }
    return address;
  }
}

/**
 * Returns a function that makes keys of events, by row: 32 hexadecimal digits, equal for events that
 * `dedupe` would treat as the same. Events without an insert id have none.
 */
export function eventKeys(
  kernel: Kernel,
  options: DedupeOptions,
): (events: EventBatch) => ReadonlyMap<number, string> {
  const digests = new KeyDigests(kernel, options);
  return (events) => {
    const { entries } = digests.take(events, 0);
    const keys = new Map<number, string>();
    for (let entry = 0; entry < entries.length; entry += KEY_WORDS) {
      const words = [...entries.subarray(entry, entry + 4)];
      const text = words.map((word) => word.toString(16).padStart(8, "0")).join("");
      keys.set(entries[entry + KEY_ROW]!, text);
    }
    return keys;
  };
}
