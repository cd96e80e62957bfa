import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { dayOf, formatDay } from "../base/day.js";
import { EVENT_COUNTS_PAIRS_MAX } from "../base/limits.js";
import { createZone } from "../base/luxon-zone.js";
import { toOutputError } from "../base/output-error.js";
import type { Zone } from "../base/zone.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
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
  #ofEvents = new Uint32Array();

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

  /** Returns the number of the group of each delivered event; valid until the next call. */
  take(events: EventBatch): Uint32Array {
    if (this.#ofEvents.length < events.rows) this.#ofEvents = new Uint32Array(events.rows);
    const { entries } = this.#digests.take(events, 0);
    for (let entry = 0; entry < entries.length; entry += KEY_WORDS) {
      // 53 bits: more than enough for the names of one split.
      const key = entries[entry]! * HALF + (entries[entry + 1]! & (HALF - 1));
      const row = entries[entry + KEY_ROW]!;
      this.#ofEvents[entry / KEY_WORDS] = this.#numbers.get(key) ?? this.#add(key, events, row);
    }
    return this.#ofEvents.subarray(0, entries.length / KEY_WORDS);
  }

  #add(key: number, { event, kernel, timestamps }: EventBatch, row: number): number {
    if (this.#groups.length > EVENT_COUNTS_PAIRS_MAX) return OTHERS;
    const day = dayOf(kernel.doubles[timestamps / 8 + row]!, this.#zone);
    const number = this.#groups.push([formatDay(day), event.text(row) ?? ""]) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

/** Returns the file beside a key file that has the number of the group of each event (u32). */
export function groupsFileOf(keyFile: string): string {
  return `${keyFile}.groups`;
}

/** Writes the numbers of groups of one split, in the order of its events. */
export class GroupWriter {
  readonly #file: number;

  constructor(private readonly path: string) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#file = openSync(path, "w");
    } catch (error) {
      throw toOutputError(path, error);
    }
  }

  add({ buffer, byteOffset, byteLength }: Uint32Array): void {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    } catch (error) {
      throw toOutputError(this.path, error);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads the number of the group of each event of a split. */
export function readGroups(path: string): Uint32Array {
  const bytes = readFileSync(path);
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}
