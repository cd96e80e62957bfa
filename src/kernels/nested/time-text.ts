// Writes dates and times as ISO 8601 text. Every writer takes the address to write to and returns the
// address after it.
import { writePadded, writeUnsigned } from "./number-text";

const DAY_SECONDS: i64 = 86400;

/** The text of 2^10 days is remembered, one day for each value of the lowest 10 bits. */
const REMEMBERED_MASK: i64 = 1023;
/** Entries of 16 bytes: the day as i32, then its text of 10 bytes. Unused ones are 0. */
const remembered: usize = memory.data(16384, 16);

@inline
function floorDivide(value: i64, by: i64): i64 {
  const quotient = value / by;
  return quotient * by > value ? quotient - 1 : quotient;
}

@inline
function powerOfTen(digits: u32): i64 {
  return digits == 0 ? 1 : digits == 3 ? 1000 : digits == 6 ? 1000000 : 1000000000;
}

/**
 * Writes days since 1970-01-01 as YYYY-MM-DD in the proleptic Gregorian calendar; at most 26 bytes. Years
 * outside 0000 to 9999 get a sign and at least six digits, as in ISO 8601.
 *
 * It counts in years that begin on 1 March, so that the leap day is the last day of a year.
 */
export function writeDate(days: i64, target: usize): usize {
  const shifted = days + 719468;
  const era = floorDivide(shifted, 146097);
  const dayOfEra = <u32>(shifted - era * 146097);
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const marchMonth = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * marchMonth + 2) / 5 + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = era * 400 + <i64>yearOfEra + (month <= 2 ? 1 : 0);
  target = writeYear(year, target);
  store<u8>(target, 0x2d);
  target = writePadded(month, 2, target + 1);
  store<u8>(target, 0x2d);
  return writePadded(day, 2, target + 1);
}

/** `writeDate` with remembered texts: events have few days, and looking one up takes a fifth of the time. */
@inline
function writeDay(days: i64, target: usize): usize {
  const entry = remembered + ((<usize>(days & REMEMBERED_MASK)) << 4);
  if (<i64>load<i32>(entry) != days || load<u8>(entry, 4) == 0) {
    const end = writeDate(days, target);
    if (end - target != 10) return end;
    store<i32>(entry, <i32>days);
    memory.copy(entry + 4, target, 10);
    return end;
  }
  store<u64>(target, load<u64>(entry, 4));
  store<u16>(target, load<u16>(entry, 12), 8);
  return target + 10;
}

@inline
function writeTwoDigits(value: u32, target: usize): void {
  const tens = value / 10;
  store<u16>(target, <u16>(0x3030 + tens + ((value - tens * 10) << 8)));
}

function writeYear(year: i64, target: usize): usize {
  if (year >= 0 && year <= 9999) return writePadded(<u64>year, 4, target);
  store<u8>(target, year < 0 ? 0x2d : 0x2b);
  const size = <u64>(year < 0 ? 0 - year : year);
  return size < 1000000 ? writePadded(size, 6, target + 1) : writeUnsigned(size, target + 1);
}

/** Writes HH:MM:SS, and the fraction with all its digits unless it is zero. */
function writeClock(seconds: u32, fraction: u64, digits: u32, target: usize): usize {
  const minutes = seconds / 60;
  const hours = minutes / 60;
  // The hours of an invalid time of day can have more than two digits.
  writeTwoDigits(hours % 100, target);
  store<u8>(target, 0x3a, 2);
  writeTwoDigits(minutes - hours * 60, target + 3);
  store<u8>(target, 0x3a, 5);
  writeTwoDigits(seconds - minutes * 60, target + 6);
  target += 8;
  if (fraction == 0) return target;
  store<u8>(target, 0x2e);
  return writePadded(fraction, digits, target + 1);
}

/** Writes a time since midnight, in units of 10^-digits seconds, as HH:MM:SS[.fff…]; at most 20 bytes. */
export function writeTime(value: i64, digits: u32, target: usize): usize {
  const power = powerOfTen(digits);
  const seconds = floorDivide(value, power);
  return writeClock(<u32>seconds, <u64>(value - seconds * power), digits, target);
}

/** Writes a time since 1970, in units of 10^-digits seconds, with a `Z` if it is UTC; at most 48 bytes. */
export function writeTimestamp(value: i64, digits: u32, utc: bool, target: usize): usize {
  const power = powerOfTen(digits);
  const seconds = floorDivide(value, power);
  const days = floorDivide(seconds, DAY_SECONDS);
  target = writeDay(days, target);
  store<u8>(target, 0x54);
  const secondOfDay = <u32>(seconds - days * DAY_SECONDS);
  target = writeClock(secondOfDay, <u64>(value - seconds * power), digits, target + 1);
  if (utc) store<u8>(target++, 0x5a);
  return target;
}

/** Julian day of 1970-01-01. */
const EPOCH_JULIAN_DAY: i64 = 2440588;
const DAY_NANOSECONDS: i64 = 86400000000000;

/**
 * Writes an INT96 timestamp, which is UTC: nanoseconds of the day (i64), then the Julian day (i32). At
 * most 48 bytes.
 */
export function writeInt96(start: usize, target: usize): usize {
  const clock = load<i64>(start);
  const carried = floorDivide(clock, DAY_NANOSECONDS);
  const nanoseconds = clock - carried * DAY_NANOSECONDS;
  const seconds = nanoseconds / 1000000000;
  const days = <i64>load<i32>(start, 8) - EPOCH_JULIAN_DAY + carried;
  target = writeDay(days, target);
  store<u8>(target, 0x54);
  const fraction = <u64>(nanoseconds - seconds * 1000000000);
  target = writeClock(<u32>seconds, fraction, 9, target + 1);
  store<u8>(target, 0x5a);
  return target + 1;
}

/** Writes months, days and milliseconds (u32 each) as an ISO 8601 duration; at most 48 bytes. */
export function writeInterval(start: usize, target: usize): usize {
  store<u8>(target, 0x50);
  target = writeUnsigned(load<u32>(start), target + 1);
  store<u8>(target, 0x4d);
  target = writeUnsigned(load<u32>(start, 4), target + 1);
  store<u16>(target, 0x5444);
  const milliseconds = load<u32>(start, 8);
  target = writeUnsigned(milliseconds / 1000, target + 2);
  if (milliseconds % 1000 != 0) {
    store<u8>(target, 0x2e);
    target = writePadded(milliseconds % 1000, 3, target + 1);
  }
  store<u8>(target, 0x53);
  return target + 1;
}
