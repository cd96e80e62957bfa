import { parseDay } from "../base/day.js";
import {
  EVENT_COUNTS_NAME_BYTES_MAX,
  EVENT_COUNTS_NAMES_MAX,
  EXPORT_PAIRS_MAX,
} from "../base/limits.js";
import { sum } from "../base/sum.js";
import type { EventCount, SplitEvents } from "../profile/event-counts.js";
import type { Ledger } from "./ledger.js";
import type { SplitRecord } from "./ledger-records.js";
import type { ManifestEvent, ManifestEventCount } from "./manifest.js";
import { inOrder } from "./run-accounts.js";

/** The delivered events of a run by name and by day. */
export interface FoldedEvents {
  /** Sorted by name. */
  readonly events: readonly ManifestEvent[];
  /** Events of names beyond the limit; absent if there are none. */
  readonly otherEvents?: ManifestEventCount;
  /** Content of `events-by-day.jsonl`: a line for each day, in order. */
  readonly byDay: string;
}

/** The facts of a part that are counted. */
interface CountedPart {
  readonly day: string;
  readonly rows: number;
}

type FoldedDay = Map<string, number>;

/**
 * Adds up the events of splits within the limits of one split. Add splits in the order of their
 * ids. Does not keep them.
 */
export class EventFold {
  readonly #names = new NameFold();
  readonly #days = new Map<number, FoldedDay>();
  #pairs = 0;

  constructor(private readonly pairsMax = EXPORT_PAIRS_MAX) {}

  /** Events of each day since 1970 by name, for names that are counted one by one. */
  get days(): ReadonlyMap<number, ReadonlyMap<string, number>> {
    return this.#days;
  }

  /** Returns for each name if it is counted one by one. */
  add({ names, others, days }: SplitEvents): readonly boolean[] {
    const isNamed = names.map((count) => this.#names.add(count));
    if (others !== undefined) this.#names.addOther(others);
    for (const counts of days) {
      const dayCounts = this.#countsOf(counts[0]);
      for (let at = 1; at < counts.length; at += 2) {
        const [place, rows] = [counts[at]!, counts[at + 1]!];
        const name = names[place]?.event;
        if (name === undefined || isNamed[place] !== true) continue;
        const before = dayCounts.get(name);
        if (before === undefined && this.#pairs === this.pairsMax) continue;
        if (before === undefined) this.#pairs++;
        dayCounts.set(name, (before ?? 0) + rows);
      }
    }
    return isNamed;
  }

  /** `parts` are those of all splits that were added. */
  result(parts: readonly CountedPart[]): FoldedEvents {
    const rowsOfDays = new Map<string, number>();
    for (const { day, rows } of parts) rowsOfDays.set(day, (rowsOfDays.get(day) ?? 0) + rows);
    const lines = [...rowsOfDays]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([day, rows]) => eventsOfDay(day, this.#countsOf(parseDay(day)), rows));
    return { ...this.#names.result(), byDay: lines.map((line) => `${line}\n`).join("") };
  }

  #countsOf(day: number): FoldedDay {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const counts: FoldedDay = new Map();
    this.#days.set(day, counts);
    return counts;
  }
}

/** Adds up the events of committed splits. Throws if the ledger does not have them. */
export async function foldEvents(
  ledger: Pick<Ledger, "readEvents">,
  records: readonly SplitRecord[],
): Promise<EventFold> {
  const fold = new EventFold();
  // One at a time: together they take many times the memory of the records.
  for (const { id } of inOrder(records)) fold.add(await ledger.readEvents(id));
  return fold;
}

/** Returns a line of `events-by-day.jsonl`: sorted names with their rows, and `others` if rows are left. */
export function eventsOfDay(
  day: string,
  counts: ReadonlyMap<string, number>,
  rowsOfDay: number,
): string {
  const events = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  const others = rowsOfDay - sum(events, ([, rows]) => rows);
  return JSON.stringify({ day, events, ...(others === 0 ? {} : { others }) });
}

class NameFold {
  readonly #names = new Map<string, EventCount>();
  #bytes = 0;
  #others: EventCount | undefined;

  /** Returns false for a name beyond the limit; its rows count as other events. */
  add({ event, ...count }: EventCount & { readonly event: string }): boolean {
    const known = this.#names.get(event);
    if (known === undefined) {
      const bytes = this.#bytes + Buffer.byteLength(event);
      if (this.#names.size === EVENT_COUNTS_NAMES_MAX || bytes > EVENT_COUNTS_NAME_BYTES_MAX) {
        this.addOther(count);
        return false;
      }
      this.#bytes = bytes;
    }
    this.#names.set(event, together(known, count));
    return true;
  }

  addOther(count: EventCount): void {
    this.#others = together(this.#others, count);
  }

  result(): Omit<FoldedEvents, "byDay"> {
    const sorted = [...this.#names].sort(([one], [other]) => (one < other ? -1 : 1));
    return {
      events: sorted.map(([event, count]) => ({ event, ...countOf(count) })),
      ...(this.#others === undefined ? {} : { otherEvents: countOf(this.#others) }),
    };
  }
}

function together(one: EventCount | undefined, other: EventCount): EventCount {
  if (one === undefined) return other;
  return {
    rows: one.rows + other.rows,
    firstMs: Math.min(one.firstMs, other.firstMs),
    lastMs: Math.max(one.lastMs, other.lastMs),
  };
}

/** Returns the form of a manifest. */
export function countOf({ rows, firstMs, lastMs }: EventCount): ManifestEventCount {
  const [firstTimestamp, lastTimestamp] = [firstMs, lastMs].map((timeMs) =>
    new Date(timeMs).toISOString(),
  ) as [string, string];
  return { rows, firstTimestamp, lastTimestamp };
}
