import type { Zone } from "../base/zone.js";
import type { Kernel } from "../batch/kernel.js";
import { fillDays } from "../batch/row-days.js";

/** Bits of a day that one sorting pass handles; as in src/kernels/sink/days.ts. */
export const DIGIT_BITS = 11;

/** Days that one pass can sort. */
const DIGITS = 1 << DIGIT_BITS;

/** Two passes cover 11,000 years; timestamps are bounded well within that. */
const DAY_SPAN_MAX = 1 << (2 * DIGIT_BITS);

/** Rows of one day: indexes [start, end) of the order. */
export interface DayRows {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly start: number;
  readonly end: number;
  /** Its rows by event, if each event has a directory. */
  readonly events?: readonly EventRun[];
}

/** Rows of one event on one day: indexes [start, end) of the order. */
export interface EventRun {
  readonly event: string;
  readonly start: number;
  readonly end: number;
}

/** Orders the rows of a row buffer by day; within a day they keep their order. */
export class DayOrder {
  /** Address of the order: u32 row numbers. */
  readonly address: number;
  readonly #days: number;
  readonly #scratch: number;
  readonly #result: number;

  constructor(
    private readonly kernel: Kernel,
    rowsMax: number,
  ) {
    this.address = kernel.allocate(rowsMax * 4);
    this.#days = kernel.allocate(rowsMax * 4);
    this.#scratch = kernel.allocate(rowsMax * 4);
    this.#result = kernel.allocate(8);
  }

  /** Sets the order of rows that are already sorted by day. */
  keep(rows: number): void {
    this.kernel.run.fillOrder(this.address, rows);
  }

  /** Returns the first `rows` row numbers of the order, as a view. */
  rowNumbers(rows: number): Uint32Array {
    return this.kernel.u32.subarray(this.address / 4, this.address / 4 + rows);
  }

  /** `timestamps` is the address of `rows` doubles. */
  sort(timestamps: number, rows: number, zone: Zone): DayRows[] {
    if (rows === 0) return [];
    const { run } = this.kernel;
    fillDays(this.kernel, { rows, timestamps }, zone, this.#days);
    run.findDayRange(this.#days, rows, this.#result);
    const first = this.#dayIn(this.#result);
    const span = this.#dayIn(this.#result + 4) - first + 1;
    if (span > DAY_SPAN_MAX) throw new Error(`${span} days in one row buffer`);
    if (span === 1) {
      run.fillOrder(this.address, rows);
      return [{ day: first, start: 0, end: rows }];
    }
    if (span <= DIGITS) {
      run.fillOrder(this.#scratch, rows);
      run.sortByDay(this.#scratch, this.address, this.#days, rows, first, 0);
    } else {
      run.fillOrder(this.address, rows);
      run.sortByDay(this.address, this.#scratch, this.#days, rows, first, 0);
      run.sortByDay(this.#scratch, this.address, this.#days, rows, first, DIGIT_BITS);
    }
    return this.#cut(rows);
  }

  #cut(rows: number): DayRows[] {
    const ranges: DayRows[] = [];
    for (let start = 0; start < rows; ) {
      const row = this.kernel.u32[this.address / 4 + start]!;
      const end = this.kernel.run.findDayEnd(this.address, this.#days, start, rows);
      ranges.push({ day: this.#dayIn(this.#days + row * 4), start, end });
      start = end;
    }
    return ranges;
  }

  /** Days before 1970 are negative. */
  #dayIn(address: number): number {
    return this.kernel.u32[address / 4]! | 0;
  }
}
