// The days of rows, and an order of rows by day.

// The same number as `outcomes.deliver` in src/batch/event-batch.ts.
const DELIVER: u32 = 0;

const DAY_MS: f64 = 86_400_000;

/** Bits of a day that `sortByDay` handles in one pass. */
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
const starts: usize = memory.data(8_192, 4);

/**
 * Writes the days since 1970 (i32) of `rows` times (doubles, ms since 1970 UTC) in a zone that is
 * `offsetMs` ahead of UTC. `outcomes` is one u8 per row, or 0 if all rows are delivered; rows that
 * are not delivered get no day.
 */
export function fillDays(
  times: usize,
  outcomes: usize,
  rows: i32,
  offsetMs: f64,
  days: usize,
): void {
  for (let row: usize = 0; row < <usize>rows; row++) {
    if (outcomes != 0 && load<u8>(outcomes + row) != DELIVER) continue;
    const time = load<f64>(times + (row << 3)) + offsetMs;
    store<i32>(days + (row << 2), <i32>Math.floor(time / DAY_MS));
  }
}

/** Writes the first and the last of `rows` days (at least one), as i32, to `result`. */
export function findDayRange(days: usize, rows: i32, result: usize): void {
  let first = load<i32>(days);
  let last = first;
  for (let row: usize = 1; row < <usize>rows; row++) {
    const day = load<i32>(days + (row << 2));
    if (day < first) first = day;
    if (day > last) last = day;
  }
  store<i32>(result, first);
  store<i32>(result, last, 4);
}

/** Writes row numbers (u32) in the order of the rows. */
export function fillOrder(order: usize, rows: i32): void {
  for (let row: usize = 0; row < <usize>rows; row++) store<u32>(order + (row << 2), <u32>row);
}

/**
 * Orders the `rows` row numbers at `source` by the digit of their day from bit `shift` on, to
 * `target`; rows with the same digit keep their order. `first` is the first of all days.
 */
export function sortByDay(
  source: usize,
  target: usize,
  days: usize,
  rows: i32,
  first: i32,
  shift: u32,
): void {
  memory.fill(starts, 0, DIGITS << 2);
  for (let place: usize = 0; place < <usize>rows; place++) {
    const row = load<u32>(source + (place << 2));
    const at = digitAt(days + (<usize>row << 2), first, shift);
    store<u32>(at, load<u32>(at) + 1);
  }
  let next: u32 = 0;
  for (let at = starts; at < starts + (DIGITS << 2); at += 4) {
    const count = load<u32>(at);
    store<u32>(at, next);
    next += count;
  }
  for (let place: usize = 0; place < <usize>rows; place++) {
    const row = load<u32>(source + (place << 2));
    const at = digitAt(days + (<usize>row << 2), first, shift);
    const free = load<u32>(at);
    store<u32>(target + (<usize>free << 2), row);
    store<u32>(at, free + 1);
  }
}

@inline
function digitAt(day: usize, first: i32, shift: u32): usize {
  const digit = (<u32>(load<i32>(day) - first) >> shift) & (<u32>DIGITS - 1);
  return starts + (<usize>digit << 2);
}

/**
 * Returns the index in the order of the first row after `place` that has another day, or `rows`.
 */
export function findDayEnd(order: usize, days: usize, place: i32, rows: i32): i32 {
  const day = dayAt(order, days, place);
  while (++place < rows && dayAt(order, days, place) == day);
  return place;
}

@inline
function dayAt(order: usize, days: usize, place: i32): i32 {
  return load<i32>(days + (<usize>load<u32>(order + (<usize>place << 2)) << 2));
}

/**
 * Writes the earliest and latest time of the rows at indexes [from, to) of an order to `result`, as
 * doubles.
 */
export function findTimeRange(
  times: usize,
  order: usize,
  from: i32,
  to: i32,
  result: usize,
): void {
  let first: f64 = Infinity;
  let last: f64 = -Infinity;
  for (let place = from; place < to; place++) {
    const time = load<f64>(times + (<usize>load<u32>(order + (<usize>place << 2)) << 3));
    first = min(first, time);
    last = max(last, time);
  }
  store<f64>(result, first);
  store<f64>(result, last, 8);
}
