import { SwitchyardError } from "../base/errors.js";
import { EVENT_COUNTS_NAME_BYTES_MAX, EVENT_COUNTS_NAMES_MAX } from "../base/limits.js";
import { createZone } from "../base/luxon-zone.js";
import { option } from "../base/option-text.js";
import type { Kernel } from "../batch/kernel.js";
import { EventCounts } from "../profile/event-counts.js";
import { type DayRows, DIGIT_BITS, type EventRun } from "./day-order.js";
import type { RowBuffer } from "./row-buffer.js";

/** Orders the rows of each day of a row buffer by event; rows of one event keep their order. */
export class EventOrder {
  readonly #names: EventCounts;
  readonly #numbers: number;
  readonly #scratch: number;

  constructor(
    private readonly kernel: Kernel,
    rowsMax: number,
  ) {
    this.#names = new EventCounts(kernel, createZone("UTC"), {
      namesMax: EVENT_COUNTS_NAMES_MAX,
      nameBytesMax: EVENT_COUNTS_NAME_BYTES_MAX,
      pairsMax: 1,
    });
    this.#numbers = kernel.allocate(rowsMax * 4);
    this.#scratch = kernel.allocate(rowsMax * 4);
  }

  /**
   * Returns the days with their events, whose order is a function of the row buffer alone. Throws
   * `partition_too_large` if there are too many.
   */
  divide(rowBuffer: RowBuffer, order: number, days: readonly DayRows[]): readonly DayRows[] {
    this.#names.clear();
    const { address } = rowBuffer.eventColumn;
    this.kernel.run.numberNames(this.#names.address, address, rowBuffer.rows, this.#numbers);
    const names = this.#names.events().names.map(({ event }) => event);
    return days.map((day) => {
      this.#sort(order, day, names.length);
      return { ...day, events: this.#cut(order, day, names) };
    });
  }

  #sort(order: number, { start, end }: DayRows, names: number): void {
    const { run } = this.kernel;
    const [rows, from, numbers] = [end - start, order + start * 4, this.#numbers];
    run.sortByDay(from, this.#scratch, numbers, rows, 0, 0);
    if (names < 1 << DIGIT_BITS) {
      const scratch = this.#scratch / 4;
      this.kernel.u32.copyWithin(from / 4, scratch, scratch + rows);
    } else run.sortByDay(this.#scratch, from, numbers, rows, 0, DIGIT_BITS);
  }

  #cut(order: number, day: DayRows, names: readonly string[]): readonly EventRun[] {
    const { u32, run } = this.kernel;
    const ranges: EventRun[] = [];
    for (let start = day.start; start < day.end; ) {
      const row = u32[order / 4 + start]!;
      const end = run.findDayEnd(order, this.#numbers, start, day.end);
      const event = names[u32[this.#numbers / 4 + row]! - 1];
      if (event === undefined) throw tooManyDirectories(`${names.length} event names`);
      ranges.push({ event, start, end });
      start = end;
    }
    return ranges;
  }
}

/** Returns the error for more directories of events than can be written. */
export function tooManyDirectories(found: string): SwitchyardError {
  return new SwitchyardError(
    "partition_too_large",
    `one directory for each day and event cannot be written: there are more than ${found} in a part of the input; export with ${option("layout")} events/{day}, or leave out the ids that event names seem to have`,
  );
}
