import {
  EVENT_COUNTS_NAME_BYTES_MAX,
  EVENT_COUNTS_NAMES_MAX,
  EVENT_COUNTS_PAIRS_MAX,
  EVENT_COUNTS_PENDING_MAX,
} from "../base/limits.js";
import type { Zone } from "../base/zone.js";
import type { Column } from "../batch/column.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, LOOSE_BYTES, Region } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { eventCountsLayout, nameLayout, pairLayout, pendingRowLayout } from "../batch/layouts.js";
import { fillDays } from "../batch/row-days.js";
import { slotCountFor } from "./kernel-tables.js";

/** The number of events, and the times of the first and the last one (ms since 1970 UTC). */
export interface EventCount {
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

interface NamedEventCount extends EventCount {
  readonly event: string;
}

/**
 * A day (since 1970-01-01, in the zone of the days), then the index in `names` and the rows of each of
 * its names: one array for each day, because a split of a thousand days has many pairs.
 */
type DayCounts = [day: number, ...indexesAndRows: number[]];

/** The delivered events of one split by name, and by day and name. */
export interface SplitEvents {
  /** In the order of their first rows. */
  readonly names: readonly NamedEventCount[];
  /** Events of all names beyond the limits; absent if there are none. */
  readonly others?: EventCount;
  /** In the order of the days. Rows of pairs beyond the limits are missing. */
  readonly days: readonly Readonly<DayCounts>[];
}

const limitsOfSplit = {
  namesMax: EVENT_COUNTS_NAMES_MAX,
  nameBytesMax: EVENT_COUNTS_NAME_BYTES_MAX,
  pairsMax: EVENT_COUNTS_PAIRS_MAX,
};

export type EventCountsLimits = Readonly<typeof limitsOfSplit>;

/** Counts the delivered events of a split by name. */
export interface EventCounter {
  /** Discards all counts. */
  clear(): void;
  take(events: EventBatch): void;
  /** Returns the counts since the last `clear`. */
  events(): SplitEvents;
}

/** The columns that are counted. Rows whose outcome is `deliver` have a name and a time. */
interface CountedRows {
  readonly rows: number;
  /** Address of one u8 for each row. */
  readonly outcomes: number;
  readonly event: Column;
  /** Address of one double for each row. */
  readonly timestamps: number;
}

/**
 * Event counts in kernel memory, which is allocated once. The counts are a function of the rows in their
 * order. Names beyond the limits are counted together; pairs of day and name beyond them are not counted.
 */
export class EventCounts implements EventCounter {
  /** Address of the record that kernels use. */
  readonly address: number;
  readonly #names: number;
  readonly #pairs: number;
  readonly #days: Region;

  constructor(
    private readonly kernel: Kernel,
    private readonly zone: Zone,
    { namesMax, nameBytesMax, pairsMax }: EventCountsLimits = limitsOfSplit,
  ) {
    // The first entry is for all names beyond the limits.
    const names = namesMax + 1;
    const nameSlots = slotCountFor(names);
    const pairSlots = slotCountFor(pairsMax);
    this.#names = kernel.allocate(names * nameLayout.bytes);
    this.#pairs = kernel.allocate(pairsMax * pairLayout.bytes);
    this.#days = new Region(kernel, 4);
    const text = kernel.allocate(nameBytesMax + LOOSE_BYTES);
    this.address = placeRecord(kernel, eventCountsLayout, {
      nameSlots: kernel.allocate(nameSlots * 4),
      nameMask: nameSlots - 1,
      names: this.#names,
      nameCount: 0,
      namesMax: names,
      text,
      textBytes: 0,
      textBytesMax: nameBytesMax,
      pairSlots: kernel.allocate(pairSlots * 4),
      pairMask: pairSlots - 1,
      pairs: this.#pairs,
      pairCount: 0,
      pairsMax,
      pairMaskMax: pairSlots - 1,
      pending: kernel.allocate(EVENT_COUNTS_PENDING_MAX * pendingRowLayout.bytes),
      pendingCount: 0,
      pendingMax: EVENT_COUNTS_PENDING_MAX,
    });
    this.clear();
  }

  clear(): void {
    this.kernel.run.clearEventCounts(this.address);
  }

  take({ rows, outcomes, event, timestamps }: CountedRows): void {
    const { kernel, zone } = this;
    this.#days.ensure(rows * 4);
    const days = this.#days.address;
    fillDays(kernel, { rows, outcomes, timestamps }, zone, days);
    kernel.run.countEvents(this.address, outcomes, event.address, days, timestamps, rows);
  }

  /** Counts only these names by name, and all others together. */
  limitTo(names: readonly string[]): void {
    const { kernel } = this;
    for (const name of names) {
      const bytes = encoder.encode(name);
      const address = kernel.allocate(bytes.length);
      kernel.bytes.set(bytes, address);
      kernel.run.addName(this.address, address, bytes.length);
      kernel.free(address);
    }
    kernel.u32[this.address / 4 + eventCountsLayout.words.namesMax] = this.#word("nameCount");
  }

  /** Returns the counts by day since the last call and resets them. Counts by name continue. */
  takeDays(): SplitEvents["days"] {
    const days = this.#dayCounts();
    this.kernel.run.clearPairs(this.address);
    return days;
  }

  events(): SplitEvents {
    const indexes = Array.from({ length: this.#word("nameCount") }, (_, index) => index);
    const counts = indexes.map((index) => this.#nameCount(index));
    const [others] = counts;
    return {
      names: counts
        .slice(1)
        .map((count, index) => ({ event: this.#nameText(index + 1), ...count })),
      ...(others === undefined || others.rows === 0 ? {} : { others }),
      days: this.#dayCounts(),
    };
  }

  #nameCount(index: number) {
    const { doubles } = this.kernel;
    const name = (this.#names + index * nameLayout.bytes) / 8;
    const { rows, first, last } = nameLayout.doubles;
    return {
      rows: doubles[name + rows]!,
      firstMs: doubles[name + first]!,
      lastMs: doubles[name + last]!,
    };
  }

  #nameText(index: number): string {
    const { u32, bytes } = this.kernel;
    const name = (this.#names + index * nameLayout.bytes) / 4;
    const start = u32[name + nameLayout.words.start]!;
    return decoder.decode(bytes.subarray(start, start + u32[name + nameLayout.words.length]!));
  }

  #dayCounts(): SplitEvents["days"] {
    this.kernel.run.countPending(this.address);
    const { u32 } = this.kernel;
    const at = pairLayout.words;
    const byDay = new Map<number, DayCounts>();
    for (let index = 0; index < this.#word("pairCount"); index++) {
      const pair = (this.#pairs + index * pairLayout.bytes) / 4;
      const day = u32[pair + at.day]! | 0;
      const [name, rows] = [u32[pair + at.name]! - 1, u32[pair + at.rows]!];
      const known = byDay.get(day);
      if (known === undefined) byDay.set(day, [day, name, rows]);
      else known.push(name, rows);
    }
    return [...byDay.values()].sort(([one], [other]) => one - other);
  }

  #word(name: keyof typeof eventCountsLayout.words): number {
    return this.kernel.u32[this.address / 4 + eventCountsLayout.words[name]] ?? 0;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
