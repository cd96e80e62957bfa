import { dayOf, formatDay } from "../../base/day.js";
import { EVENT_COUNTS_PAIRS_MAX } from "../../base/limits.js";
import { createZone } from "../../base/luxon-zone.js";
import type { Zone } from "../../base/zone.js";
import type { EventBatch } from "../../batch/event-batch.js";
import type { Kernel } from "../../batch/kernel.js";
import { KEY_ROW, KEY_WORDS, KeyDigests } from "./key-digests.js";

/** A day (YYYY-MM-DD) and the name of events. */
export type EventGroup = readonly [day: string, event: string];

/** Group of the events beyond the limit of groups. */
const OTHERS = 0;
const HALF = 2 ** 21;

/** Numbers the groups of events by day and name, for one split at a time. */
export class EventGroups {
  readonly #digests: KeyDigests;
  readonly #zone: Zone;
  readonly #numbers = new Map<number, number>();
  #groups: EventGroup[] = [["", ""]];
  #ofRows = new Uint32Array();

  constructor(kernel: Kernel, dayZone: string) {
    this.#digests = new KeyDigests(kernel, { within: "day", by: ["event"], dayZone });
    this.#zone = createZone(dayZone);
  }

  /** Groups by number; number 0 is for all groups beyond the limit. */
  get groups(): readonly EventGroup[] {
    return this.#groups;
  }

  clear(): void {
    this.#numbers.clear();
    this.#groups = [["", ""]];
  }

  /** Returns the number of the group of each delivered row; valid until the next call. */
  take(events: EventBatch): Uint32Array {
    if (this.#ofRows.length < events.rows) this.#ofRows = new Uint32Array(events.rows);
    const { entries } = this.#digests.take(events, 0);
    for (let entry = 0; entry < entries.length; entry += KEY_WORDS) {
      // 53 bits: more than enough for the names of one split.
      const key = entries[entry]! * HALF + (entries[entry + 1]! & (HALF - 1));
      const row = entries[entry + KEY_ROW]!;
      this.#ofRows[row] = this.#numbers.get(key) ?? this.#add(key, events, row);
    }
    return this.#ofRows;
  }

  #add(key: number, { event, kernel, timestamps }: EventBatch, row: number): number {
    if (this.#groups.length > EVENT_COUNTS_PAIRS_MAX) return OTHERS;
    const day = dayOf(kernel.doubles[timestamps / 8 + row]!, this.#zone);
    const number = this.#groups.push([formatDay(day), event.text(row) ?? ""]) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}
