// Writes numbers as JSON text. Every writer takes the address to write to and returns the address after it.

import { writeInteger } from "../decimal";

// Writes the shortest decimal text of a double, or of a float in a double, as JavaScript does.
@external("env", "formatNumber")
declare function formatNumber(value: f64, single: bool, target: usize): usize;

const DIGITS: usize = memory.data(20);

const POWERS: usize = memory.data<f64>([1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);

/** Writes a number without sign; at most 20 bytes. */
export function writeUnsigned(value: u64, target: usize): usize {
  let p = DIGITS + 20;
  while (value >= 10) {
    const rest = value / 10;
    store<u8>(--p, <u8>(0x30 + <u32>(value - rest * 10)));
    value = rest;
  }
  store<u8>(--p, <u8>(0x30 + <u32>value));
  const length = DIGITS + 20 - p;
  memory.copy(target, p, length);
  return target + length;
}

/** Writes exactly `count` digits, with leading zeros. */
export function writePadded(value: u64, count: u32, target: usize): usize {
  for (let p = target + <usize>count; p > target; ) {
    const rest = value / 10;
    store<u8>(--p, <u8>(0x30 + <u32>(value - rest * 10)));
    value = rest;
  }
  return target + <usize>count;
}

/**
 * Writes the shortest text that reads back as the same double, or with `single` as the same float; at most
 * 25 bytes. The value must be finite. Up to `exact`, a decimal is the only one of its length in the
 * rounding interval, so the first one that reads back is the shortest.
 */
export function writeDouble(value: f64, single: bool, target: usize): usize {
  const size = Math.abs(value);
  const exact: f64 = single ? 1e6 : 1e15;
  if (size < exact && size == nearest(size)) {
    if (reinterpret<i64>(value) < 0) store<u8>(target++, 0x2d);
    return writeUnsigned(<u64>size, target);
  }
  if (size >= 1e-6 && size < exact) {
    for (let places: u32 = 1; places <= 8; places++) {
      const power = load<f64>(POWERS + (<usize>places << 3));
      const scaled = nearest(size * power);
      if (scaled >= exact) break;
      const back = scaled / power;
      if (single ? <f32>back != <f32>size : back != size) continue;
      if (value < 0) store<u8>(target++, 0x2d);
      const whole = <u64>scaled / <u64>power;
      target = writeUnsigned(whole, target);
      store<u8>(target, 0x2e);
      return writePadded(<u64>scaled - whole * <u64>power, places, target + 1);
    }
  }
  return formatNumber(value, single, target);
}

/** Converts a half-precision float (IEEE 754 binary16) to a double. */
export function halfToDouble(bits: u32): f64 {
  const exponent = (bits >> 10) & 31;
  const fraction = <f64>(bits & 1023);
  let size: f64;
  if (exponent == 0) size = fraction * 5.9604644775390625e-8;
  else if (exponent == 31) size = fraction == 0 ? Infinity : NaN;
  else size = (1 + fraction / 1024) * <f64>(1 << exponent) * 0.000030517578125;
  return bits & 0x8000 ? -size : size;
}

/** Bytes of a decimal's unscaled number that writeDecimalBytes takes at most. */
const DECIMAL_BYTES_MAX: usize = 64;

const MAGNITUDE: usize = memory.data(64);
const DECIMAL_DIGITS: usize = memory.data(256);

/** Writes the `digits` digits that end at `end`, with the point `scale` digits before `end`. */
function writeScaled(negative: bool, end: usize, digits: usize, scale: usize, target: usize): usize {
  if (negative) store<u8>(target++, 0x2d);
  if (digits > scale) {
    memory.copy(target, end - digits, digits - scale);
    target += digits - scale;
    digits = scale;
  } else {
    store<u8>(target++, 0x30);
  }
  if (scale == 0) return target;
  store<u8>(target++, 0x2e);
  memory.fill(target, 0x30, scale - digits);
  target += scale - digits;
  memory.copy(target, end - digits, digits);
  return target + digits;
}

/** Writes value × 10^-scale with `scale` decimal places; at most 23 bytes, or `scale` + 3. */
export function writeDecimal(value: i64, scale: u32, target: usize): usize {
  if (scale == 0) return writeInteger(target, value);
  const end = writeUnsigned(value < 0 ? 0 - <u64>value : <u64>value, DECIMAL_DIGITS);
  return writeScaled(value < 0, end, end - DECIMAL_DIGITS, <usize>scale, target);
}

/**
 * Writes a big-endian two's complement number of `width` bytes × 10^-scale; at most 2.41 × width + scale +
 * 4 bytes. Returns 0 if `width` is more than DECIMAL_BYTES_MAX.
 */
export function writeDecimalBytes(start: usize, width: usize, scale: u32, target: usize): usize {
  if (width > DECIMAL_BYTES_MAX) return 0;
  const negative = width > 0 && load<u8>(start) >= 0x80;
  const words = <i32>((width + 3) >> 2);
  memory.fill(MAGNITUDE, negative ? 0xff : 0, DECIMAL_BYTES_MAX);
  for (let i: usize = 0; i < width; i++) {
    store<u8>(MAGNITUDE + i, load<u8>(start + width - 1 - i));
  }
  if (negative) negate(words);
  let digits = DECIMAL_DIGITS + 256;
  let top = words;
  do {
    while (top > 0 && load<u32>(MAGNITUDE + (<usize>(top - 1) << 2)) == 0) top--;
    let rest = divideByBillion(top);
    for (let i = 0; i < 9; i++) {
      store<u8>(--digits, <u8>(0x30 + rest % 10));
      rest /= 10;
    }
  } while (top > 0);
  const end = DECIMAL_DIGITS + 256;
  while (digits < end - 1 && load<u8>(digits) == 0x30) digits++;
  return writeScaled(negative, end, end - digits, <usize>scale, target);
}

function negate(words: i32): void {
  let carry: u64 = 1;
  for (let i = 0; i < words; i++) {
    const at = MAGNITUDE + (<usize>i << 2);
    carry += <u64>load<u32>(at) ^ 0xffffffff;
    store<u32>(at, <u32>carry);
    carry >>= 32;
  }
}

function divideByBillion(words: i32): u32 {
  let rest: u64 = 0;
  for (let i = words - 1; i >= 0; i--) {
    const at = MAGNITUDE + (<usize>i << 2);
    const value = (rest << 32) | <u64>load<u32>(at);
    store<u32>(at, <u32>(value / 1000000000));
    rest = value % 1000000000;
  }
  return <u32>rest;
}
