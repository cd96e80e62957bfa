import { dayOf } from "../base/day.js";
import type { Zone } from "../base/zone.js";
import type { Kernel } from "../batch/kernel.js";

/** Bits of a day that one sorting pass looks at. */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** Two passes reach over 11,000 years; timestamps are bounded well inside. */
const DAY_SPAN_MAX = 1 << (2 * DIGIT_BITS);

/** Rows of one day: places [start, end) of the order. */
export interface DayRows {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly start: number;
  readonly end: number;
}

/** Orders the rows of a segment by day; within a day they keep their order. */
export class DayOrder {
  /** Address of a u32 row number for each place of the order. */
  readonly address: number;
  readonly #days: Int32Array;
  readonly #scratch: Uint32Array;

  constructor(
    private readonly kernel: Kernel,
    rowsMax: number,
  ) {
    this.address = kernel.allocate(rowsMax * 4);
    this.#days = new Int32Array(rowsMax);
    this.#scratch = new Uint32Array(rowsMax);
  }

  /** `timestamps` is the address of `rows` doubles. */
  sort(timestamps: number, rows: number, zone: Zone): DayRows[] {
    const order = this.kernel.words.subarray(this.address / 4, this.address / 4 + rows);
    const days = this.#days;
    const first = timestamps / 8;
    const span = fillDays(this.kernel.doubles.subarray(first, first + rows), zone, days);
    if (span.count > DAY_SPAN_MAX) throw new Error(`${span.count} days in one segment`);
    if (span.count <= 1) {
      for (let row = 0; row < rows; row++) order[row] = row;
    } else if (span.count <= DIGITS) {
      const identity = this.#scratch.subarray(0, rows);
      for (let row = 0; row < rows; row++) identity[row] = row;
      sortByDigit(identity, order, days, span.first, 0);
    } else {
      const between = this.#scratch.subarray(0, rows);
      for (let row = 0; row < rows; row++) order[row] = row;
      sortByDigit(order, between, days, span.first, 0);
      sortByDigit(between, order, days, span.first, DIGIT_BITS);
    }
    return cutDays(order, days);
  }
}

function fillDays(
  timestamps: Float64Array,
  zone: Zone,
  days: Int32Array,
): { first: number; count: number } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < timestamps.length; row++) {
    const day = dayOf(timestamps[row]!, zone);
    days[row] = day;
    if (day < first) first = day;
    if (day > last) last = day;
  }
  return { first, count: last - first + 1 };
}

/** One stable counting sort of row numbers by a digit of their day. */
function sortByDigit(
  source: Uint32Array,
  target: Uint32Array,
  days: Int32Array,
  firstDay: number,
  shift: number,
): void {
  const next = new Uint32Array(DIGITS + 1);
  for (let place = 0; place < source.length; place++) {
    const digit = ((days[source[place]!]! - firstDay) >>> shift) & (DIGITS - 1);
    next[digit + 1]!++;
  }
  for (let digit = 0; digit < DIGITS; digit++) next[digit + 1]! += next[digit]!;
  for (let place = 0; place < source.length; place++) {
    const row = source[place]!;
    const digit = ((days[row]! - firstDay) >>> shift) & (DIGITS - 1);
    target[next[digit]!++] = row;
  }
}

function cutDays(order: Uint32Array, days: Int32Array): DayRows[] {
  const ranges: DayRows[] = [];
  let start = 0;
  for (let place = 1; place <= order.length; place++) {
    const day = days[order[start]!]!;
    if (place < order.length && days[order[place]!] === day) continue;
    ranges.push({ day, start, end: place });
    start = place;
  }
  return ranges;
}
