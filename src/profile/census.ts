import {
  CENSUS_NAME_BYTES_MAX,
  CENSUS_NAMES_MAX,
  CENSUS_PAIRS_MAX,
  CENSUS_PENDING_MAX,
} from "../base/limits.js";
import type { Zone } from "../base/zone.js";
import type { Column } from "../batch/column.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { censusLayout, nameLayout, pairLayout, pendingRowLayout } from "../batch/layouts.js";
import { fillDays } from "../batch/row-days.js";
import { slotCountFor } from "./slot-count.js";
import type { DayCounts, SplitEvents } from "./split-events.js";

/** Kernels copy in steps of 16 bytes and may pass the end of what they write. */
const LOOSE_BYTES = 16;

export interface CensusLimits {
  readonly namesMax: number;
  readonly nameBytesMax: number;
  readonly pairsMax: number;
}

const limitsOfSplit: CensusLimits = {
  namesMax: CENSUS_NAMES_MAX,
  nameBytesMax: CENSUS_NAME_BYTES_MAX,
  pairsMax: CENSUS_PAIRS_MAX,
};

/** Counts the delivered events of a split by name. */
export interface EventCensus {
  /** Forgets what was counted. */
  clear(): void;
  take(events: EventBatch): void;
  /** What was counted since the last `clear`. */
  events(): SplitEvents;
}

/** Rows as the census looks at them: those whose outcome is `deliver` have a name and a time. */
export interface CountedRows {
  readonly rows: number;
  /** Address of one u8 for each row. */
  readonly outcomes: number;
  readonly event: Column;
  /** Address of one double for each row. */
  readonly timestamps: number;
}

/**
 * A census in kernel memory, which is taken once, here. What is counted is a function of the rows in
 * their order: names beyond the limits are counted together, pairs beyond them not at all.
 */
export class Census implements EventCensus {
  /** What kernels take. */
  readonly address: number;
  readonly #names: number;
  readonly #pairs: number;
  readonly #days: Region;

  constructor(
    private readonly kernel: Kernel,
    private readonly zone: Zone,
    { namesMax, nameBytesMax, pairsMax }: CensusLimits = limitsOfSplit,
  ) {
    // The first place is that of all names that find none.
    const names = namesMax + 1;
    const nameSlots = slotCountFor(names);
    const pairSlots = slotCountFor(pairsMax);
    this.#names = kernel.allocate(names * nameLayout.bytes);
    this.#pairs = kernel.allocate(pairsMax * pairLayout.bytes);
    this.#days = new Region(kernel, 4);
    const text = kernel.allocate(nameBytesMax + LOOSE_BYTES);
    this.address = placeRecord(kernel, censusLayout, {
      nameSlots: kernel.allocate(nameSlots * 4),
      nameMask: nameSlots - 1,
      ...{ names: this.#names, nameCount: 0, namesMax: names },
      ...{ text, textBytes: 0, textBytesMax: nameBytesMax },
      pairSlots: kernel.allocate(pairSlots * 4),
      pairMask: pairSlots - 1,
      ...{ pairs: this.#pairs, pairCount: 0, pairsMax, pairMaskMax: pairSlots - 1 },
      pending: kernel.allocate(CENSUS_PENDING_MAX * pendingRowLayout.bytes),
      ...{ pendingCount: 0, pendingMax: CENSUS_PENDING_MAX },
    });
    this.clear();
  }

  clear(): void {
    this.kernel.run.clearCensus(this.address);
  }

  take({ rows, outcomes, event, timestamps }: CountedRows): void {
    const { kernel, zone } = this;
    this.#days.ensure(rows * 4);
    const days = this.#days.address;
    fillDays(kernel, { rows, outcomes, timestamps }, zone, days);
    kernel.run.countEvents(this.address, outcomes, event.address, days, timestamps, rows);
  }

  /** Gives these names places and no others: what bears another name is counted with the others. */
  limitTo(names: readonly string[]): void {
    const { kernel } = this;
    for (const name of names) {
      const bytes = encoder.encode(name);
      const address = kernel.allocate(bytes.length);
      kernel.bytes.set(bytes, address);
      kernel.run.addName(this.address, address, bytes.length);
      kernel.free(address);
    }
    kernel.words[this.address / 4 + censusLayout.words.namesMax] = this.#word("nameCount");
  }

  /** Counts by day since the last call, which then are forgotten; names go on being counted. */
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
    const { words, bytes } = this.kernel;
    const name = (this.#names + index * nameLayout.bytes) / 4;
    const start = words[name + nameLayout.words.start]!;
    return decoder.decode(bytes.subarray(start, start + words[name + nameLayout.words.length]!));
  }

  #dayCounts(): SplitEvents["days"] {
    this.kernel.run.countPending(this.address);
    const { words } = this.kernel;
    const at = pairLayout.words;
    const byDay = new Map<number, DayCounts>();
    for (let index = 0; index < this.#word("pairCount"); index++) {
      const pair = (this.#pairs + index * pairLayout.bytes) / 4;
      const day = words[pair + at.day]! | 0;
      const [name, rows] = [words[pair + at.name]! - 1, words[pair + at.rows]!];
      const known = byDay.get(day);
      if (known === undefined) byDay.set(day, [day, name, rows]);
      else known.push(name, rows);
    }
    return [...byDay.values()].sort(([one], [other]) => one - other);
  }

  #word(name: keyof typeof censusLayout.words): number {
    return this.kernel.words[this.address / 4 + censusLayout.words[name]] ?? 0;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
