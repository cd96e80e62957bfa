// Converts times as text or epochs to milliseconds since 1970 UTC. Finer units are floored, also
// before 1970, so that every moment has exactly one millisecond. The conversion uses digits only:
// no number becomes a double. A row has a state beside its time: no time, known, known as
// wall-clock time of a zone (the host converts it to UTC), or unparsable. Later fields of the
// mapping are used only for rows without a time, and `checkTimes` gives outcomes at the end.

import { Column, KIND_NULL, KIND_NUMBER, KIND_STRING } from "../column";
import { EVENT_MISSING, EVENT_NOT_TEXT, TIME_MISSING, TIME_OUT_OF_RANGE, TIME_UNPARSABLE } from "../reject-codes";

// The same numbers as `timeStates` in src/mapper/time-target.ts.
/** No field had a value. */
const NONE: u32 = 0;
const KNOWN: u32 = 1;
/** Known as wall-clock time. */
const LOCAL: u32 = 2;
/** A field had a value that is not a time. */
const NO_TIME: u32 = 3;
/** The same, for a field that no later field replaces. The host sets it. */
const REFUSED: u32 = 4;

// The same numbers as `epochUnits` in src/mapper/time-format.ts.
const AUTO: i32 = 0;
const SECONDS: i32 = 1;
/** Units of 100 ns. */
const TICKS: i32 = 5;

// Bits of `parseTimes`'s `local`.
const TEXTS_ARE_LOCAL: i32 = 1;
const EPOCHS_ARE_LOCAL: i32 = 2;

// The same number as in `outcomes` in src/batch/event-batch.ts.
const FILTERED: u8 = 254;

const DAY_MS: i64 = 86_400_000;

/** Far outside the range of a JavaScript date; the result for longer epochs. */
const FAR_MS: i64 = 9_000_000_000_000_000;

/** Result of the last successful parse: true if the text has no zone. */
let zoneless: bool = false;
/** Result of the last parse: true if there is no time. */
let failed: bool = false;

function fail(): i64 {
  failed = true;
  return 0;
}

@inline
function digit(p: usize): u32 {
  return <u32>load<u8>(p) - 0x30;
}

/** Returns two digits as a number, or a number with the high bit set. */
@inline
function twoDigits(p: usize): u32 {
  const tens = digit(p);
  const ones = digit(p + 1);
  return tens > 9 || ones > 9 ? 0x80000000 : tens * 10 + ones;
}

const MONTH_DAYS: usize = memory.data<u8>([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
const DAYS_BEFORE_MONTH: usize = memory.data<u16>([
  0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334,
]);
/** Days from 1 January of the year 0 to 1 January 1970, proleptic Gregorian. */
const DAYS_TO_1970: i32 = 719_528;

// The last date as its ten bytes, and its day number: most events have the day of the previous one.
// With the clock read as one word it saves 24 ns a time.
let knownMonth: u64 = 0x2d31302d30373931; // 1970-01-
let knownDay: u16 = 0x3130; // 01
let knownNumber: i32 = 0;

/**
 * Returns the days since 1970 of the ten bytes at `p` if they are an existing date `YYYY-MM-DD`;
 * otherwise sets `failed`.
 */
@inline
function parseDate(p: usize): i32 {
  const month = load<u64>(p);
  const day = load<u16>(p, 8);
  if (month == knownMonth && day == knownDay) return knownNumber;
  if (load<u8>(p, 4) != 0x2d || load<u8>(p, 7) != 0x2d) return <i32>fail();
  const century = twoDigits(p);
  const yearInCentury = twoDigits(p + 2);
  if (<i32>(century | yearInCentury) < 0) return <i32>fail();
  const date = dayNumber(century * 100 + yearInCentury, twoDigits(p + 5), twoDigits(p + 8));
  if (failed) return 0;
  knownMonth = month;
  knownDay = day;
  knownNumber = date;
  return date;
}

/** `00:00:00`; the xor of a digit and its zero is the digit's value. */
const CLOCK: u64 = 0x30303a30303a3030;

/** Sets, by addition, the highest bit of each byte that is not the required digit or colon. */
const CLOCK_EXCESS: u64 = 0x76767f76767f7676;

/** Result of the last `parseFraction`. */
let millisecond: u32 = 0;

/** Parses the digits of a fraction, at least one; returns the address after them, or 0 for none. */
@inline
function parseFraction(p: usize, end: usize): usize {
  const digits = i8x16.sub(v128.load(p), i8x16.splat(0x30));
  const others = i8x16.bitmask(i8x16.gt_u(digits, i8x16.splat(9)));
  const count = others == 0 ? <usize>16 : <usize>ctz(others);
  let after = min(p + count, end);
  const found = after - p;
  millisecond = found > 0 ? digit(p) * 100 : 0;
  if (found > 1) millisecond += digit(p + 1) * 10;
  if (found > 2) millisecond += digit(p + 2);
  if (count == 16) while (after < end && digit(after) <= 9) after++;
  return found == 0 ? 0 : after;
}

/** Returns true if a fraction's digits [p, end) are all zero. */
function isZero(p: usize, end: usize): bool {
  while (p < end && load<u8>(p) == 0x30) p++;
  return p == end;
}

/** Returns the days since 1970 of an existing date; otherwise sets `failed`. */
function dayNumber(year: u32, month: u32, day: u32): i32 {
  const leap = (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
  if (month - 1 > 11) return <i32>fail();
  const length = <u32>load<u8>(MONTH_DAYS + month - 1) + (leap && month == 2 ? 1 : 0);
  if (day - 1 >= length) return <i32>fail();
  const leapDays = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1;
  const inYear = <u32>load<u16>(DAYS_BEFORE_MONTH + ((month - 1) << 1)) + day - 1;
  return <i32>(year * 365 + leapDays + inYear + (leap && month > 2 ? 1 : 0)) - DAYS_TO_1970;
}

/** Result of the last `parseZone`: the zone's offset from UTC in milliseconds. */
let zoneMs: i64 = 0;

/** Returns the address after the zone at `p`, or 0 if there is none. */
function parseZone(p: usize, end: usize): usize {
  zoneMs = 0;
  const c = load<u8>(p);
  if ((c | 0x20) == 0x7a) return p + 1;
  if (c == 0x55) {
    const utc = end - p >= 3 && load<u8>(p, 1) == 0x54 && load<u8>(p, 2) == 0x43;
    return utc ? p + 3 : 0;
  }
  if ((c != 0x2b && c != 0x2d) || end - p < 3) return 0;
  const hours = twoDigits(p + 1);
  let minutes: u32 = 0;
  p += 3;
  if (p < end) {
    if (load<u8>(p) == 0x3a) p++;
    if (end - p < 2) return 0;
    minutes = twoDigits(p);
    p += 2;
  }
  if (hours > 23 || minutes > 59) return 0;
  const size = <i64>(hours * 60 + minutes) * 60_000;
  zoneMs = c == 0x2d ? -size : size;
  return p;
}

/**
 * Parses `YYYY-MM-DD`, then nothing or (T, t or a space) `HH:MM`, `:SS`, a fraction of any length,
 * and a zone: Z, z, UTC, +HH, +HHMM, +HH:MM, optionally after a space. 24:00 is the end of the day.
 * Without a zone it returns the milliseconds as if it were UTC and sets `zoneless`.
 */
function parseText(p: usize, end: usize): i64 {
  if (end - p < 10) return fail();
  const date = parseDate(p);
  if (failed) return 0;
  zoneless = true;
  p += 10;
  if (p == end) return <i64>date * DAY_MS;
  const separator = load<u8>(p++);
  if ((separator | 0x20) != 0x74 && separator != 0x20) return fail();
  let hour: u32;
  let minute: u32;
  let second: u32 = 0;
  let fraction: usize = 0;
  millisecond = 0;
  const clock = load<u64>(p) ^ CLOCK;
  if (end - p >= 8 && ((clock | (clock + CLOCK_EXCESS)) & 0x8080808080808080) == 0) {
    // The byte of each tens digit becomes ten times that digit plus the next one.
    const pairs = clock * 10 + (clock >> 8);
    hour = <u32>(pairs & 0xff);
    minute = <u32>((pairs >> 24) & 0xff);
    second = <u32>((pairs >> 48) & 0xff);
    p += 8;
    if (p < end && (load<u8>(p) == 0x2e || load<u8>(p) == 0x2c)) {
      fraction = p + 1;
      p = parseFraction(fraction, end);
      if (p == 0) return fail();
    }
  } else {
    if (end - p < 5 || load<u8>(p, 2) != 0x3a) return fail();
    hour = twoDigits(p);
    minute = twoDigits(p + 3);
    p += 5;
    // A time with seconds has been parsed above.
    if (p < end && load<u8>(p) == 0x3a) return fail();
  }
  if (hour > 24 || minute > 59 || second > 59) return fail();
  if (hour == 24) {
    if ((minute | second) != 0 || (fraction != 0 && !isZero(fraction, p))) return fail();
  }
  const seconds = hour * 3600 + minute * 60 + second;
  const local = <i64>date * DAY_MS + <i64>seconds * 1000 + <i64>millisecond;
  if (p == end) return local;
  zoneless = false;
  if (load<u8>(p) == 0x20) p++;
  if (parseZone(p, end) != end) return fail();
  return local - zoneMs;
}

/** Beyond it no number of digits that fits into memory brings the value back into range. */
const EXPONENT_MAX: i32 = 1_000_000_000;

/** Returns the power of ten from the unit to milliseconds; `whole` counts the whole digits. */
@inline
function millisecondShift(unit: i32, whole: i32, aboveSeconds: bool): i32 {
  if (unit == TICKS) return -4;
  if (unit != AUTO) return 3 - 3 * (unit - SECONDS);
  if (!aboveSeconds) return 3;
  return whole <= 14 ? 0 : whole <= 17 ? -3 : -6;
}

/**
 * Parses a JSON number (in text, leading zeros are allowed). `auto` selects the unit by size: up to
 * 10,000,000,000 seconds, below 10^14 milliseconds, below 10^17 microseconds, otherwise
 * nanoseconds.
 */
function parseEpoch(p: usize, end: usize, unit: i32): i64 {
  zoneless = false;
  const negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  const first = p;
  while (p < end && digit(p) <= 9) p++;
  const wholeEnd = p;
  if (wholeEnd == first) return fail();
  let last = p;
  if (p < end && load<u8>(p) == 0x2e) {
    p++;
    while (p < end && digit(p) <= 9) p++;
    if (p == wholeEnd + 1) return fail();
    last = p;
  }
  const exponent = parseExponent(p, end);
  if (failed) return 0;

  let q = first;
  while (q < last && (load<u8>(q) == 0x30 || q == wholeEnd)) q++;
  if (q >= last) return 0;
  // Digits before the decimal point, counted from the first that is not 0; can be negative.
  const whole = exponent + (q < wholeEnd ? <i32>(wholeEnd - q) : -<i32>(q - wholeEnd - 1));
  const aboveSeconds = whole > 11 || (whole == 11 && !isPowerOfTen(q, wholeEnd, last));
  const wanted = whole + millisecondShift(unit, whole, aboveSeconds);
  if (wanted > 16) return negative ? -FAR_MS : FAR_MS;
  let value: i64 = 0;
  for (let i = 0; i < wanted; i++) {
    if (q == wholeEnd) q++;
    value = value * 10 + (q < last ? <i64>digit(q++) : 0);
  }
  if (value > FAR_MS) value = FAR_MS;
  if (!negative) return value;
  while (q < last && (load<u8>(q) == 0x30 || q == wholeEnd)) q++;
  return q < last ? -value - 1 : -value;
}

/** Returns the exponent that is all of [p, end), 0 if it is empty; otherwise sets `failed`. */
function parseExponent(p: usize, end: usize): i32 {
  if (p == end) return 0;
  if ((load<u8>(p) | 0x20) != 0x65) return <i32>fail();
  p++;
  const negative = p < end && load<u8>(p) == 0x2d;
  if (p < end && (negative || load<u8>(p) == 0x2b)) p++;
  if (p == end) return <i32>fail();
  let exponent: i32 = 0;
  for (; p < end; p++) {
    if (digit(p) > 9) return <i32>fail();
    if (exponent < EXPONENT_MAX / 10) exponent = exponent * 10 + <i32>digit(p);
    else exponent = EXPONENT_MAX;
  }
  return negative ? -exponent : exponent;
}

/** Returns true if the digits from `p` on, except the point at `point`, are a 1 and zeros. */
function isPowerOfTen(p: usize, point: usize, end: usize): bool {
  if (load<u8>(p++) != 0x31) return false;
  while (p < end && (load<u8>(p) == 0x30 || p == point)) p++;
  return p == end;
}

/**
 * Parses the cells of rows without an outcome and without a time. Writes milliseconds (doubles) to
 * `times` and a state (u8) to `states`. Null cells get no time. The bits of `local` select
 * wall-clock times of a zone that the caller knows: 1 texts without a zone, 2 epochs. Their rows
 * get the state LOCAL. Numbers count from `epoch`, in milliseconds since 1970; it is 0 for `auto`.
 * Returns the number of the rows with wall-clock times.
 */
export function parseTimes(
  column: Column, rows: i32, outcomes: usize, states: usize, times: usize, unit: i32,
  epoch: f64, local: i32,
): i32 {
  let locals = 0;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0 || load<u8>(states + row) != NONE) continue;
    const kind = column.kind(row);
    if (kind == KIND_NULL) continue;
    let p = column.start(row);
    let end = p + column.length(row);
    failed = false;
    let time: i64 = 0;
    let isLocal: bool = false;
    if (kind == KIND_STRING) {
      while (p < end && load<u8>(p) <= 0x20) p++;
      while (p < end && load<u8>(end - 1) <= 0x20) end--;
      if (p == end) {
        failed = true;
      } else if (unit == AUTO && end - p >= 10 && load<u8>(p, 4) == 0x2d) {
        time = parseText(p, end);
        isLocal = zoneless && (local & TEXTS_ARE_LOCAL) != 0;
      } else {
        time = parseEpoch(p, end, unit);
        isLocal = (local & EPOCHS_ARE_LOCAL) != 0;
      }
    } else if (kind == KIND_NUMBER) {
      time = parseEpoch(p, end, unit);
      isLocal = (local & EPOCHS_ARE_LOCAL) != 0;
    } else {
      failed = true;
    }
    store<f64>(times + ((<usize>row) << 3), <f64>time + epoch);
    store<u8>(states + row, <u8>(failed ? NO_TIME : isLocal ? LOCAL : KNOWN));
    if (!failed && isLocal) locals++;
  }
  return locals;
}

/**
 * Gives an outcome to rows without a time, with an unparsable one, outside [min, max) (rejects) or
 * outside [from, to) (filtered). A row without an event name keeps its outcome; its time becomes NaN
 * if it is not valid.
 */
export function checkTimes(
  outcomes: usize, states: usize, times: usize, rows: i32, min: f64, max: f64, from: f64, to: f64,
): void {
  for (let row = 0; row < rows; row++) {
    const before = load<u8>(outcomes + row);
    const isNameless = before == EVENT_MISSING || before == EVENT_NOT_TEXT;
    if (before != 0 && !isNameless) continue;
    const state = load<u8>(states + row);
    const time = load<f64>(times + ((<usize>row) << 3));
    let outcome: u8 = 0;
    if (state == NONE) outcome = TIME_MISSING;
    else if (state == NO_TIME || state == REFUSED) outcome = TIME_UNPARSABLE;
    else if (!(time >= min && time < max)) outcome = TIME_OUT_OF_RANGE;
    else if (!(time >= from && time < to)) outcome = FILTERED;
    if (!isNameless) store<u8>(outcomes + row, outcome);
    else if (outcome != 0 && outcome != FILTERED) store<f64>(times + ((<usize>row) << 3), NaN);
  }
}
