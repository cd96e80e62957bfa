// Validates UTF-8, and copies texts in whole vectors, which overrun their end.

// Each pair of neighbouring bytes is looked up three times: by the upper and lower half of the
// first byte, and by the upper half of the second. A fault is a bit that is set in all three
// results. The method is by Keiser and Lemire, https://arxiv.org/abs/2010.03090.

/** A lead byte without its continuation. */
const TOO_SHORT: u8 = 1 << 0;
/** ASCII, then a continuation. */
const TOO_LONG: u8 = 1 << 1;
const OVERLONG_3: u8 = 1 << 2;
/** Above U+10FFFF, with a second byte of 0x90 and more. */
const TOO_LARGE: u8 = 1 << 3;
const SURROGATE: u8 = 1 << 4;
const OVERLONG_2: u8 = 1 << 5;
/** Above U+10FFFF with a lower second byte, or overlong: one bit, as the first byte tells which. */
const TOO_LARGE_LOW: u8 = 1 << 6;
const OVERLONG_4: u8 = 1 << 6;
/** Two continuations, valid only as the third or fourth byte of a character. */
const TWO_CONTINUATIONS: u8 = 1 << 7;
/** Faults that do not depend on the lower half of the first byte. */
const ANY_LOW: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;
const LARGE: u8 = ANY_LOW | TOO_LARGE | TOO_LARGE_LOW;
const CONTINUED: u8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;

const FIRST_HIGH: usize = memory.data<u8>([
  TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
  TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS,
  TOO_SHORT | OVERLONG_2, TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE,
  TOO_SHORT | TOO_LARGE | TOO_LARGE_LOW | OVERLONG_4,
]);
const FIRST_LOW: usize = memory.data<u8>([
  ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, ANY_LOW | OVERLONG_2, ANY_LOW, ANY_LOW,
  ANY_LOW | TOO_LARGE, LARGE, LARGE, LARGE, LARGE, LARGE, LARGE, LARGE, LARGE,
  LARGE | SURROGATE, LARGE, LARGE,
]);
const SECOND_HIGH: usize = memory.data<u8>([
  TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
  CONTINUED | OVERLONG_3 | TOO_LARGE_LOW | OVERLONG_4, CONTINUED | OVERLONG_3 | TOO_LARGE,
  CONTINUED | SURROGATE | TOO_LARGE, CONTINUED | SURROGATE | TOO_LARGE,
  TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
]);
/** The highest values of the last three of sixteen bytes after which no character continues. */
const LAST_BYTES: usize = memory.data<u8>([
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0xdf, 0xbf,
]);
/** A load at this address + 16 - n gives a mask of n significant bytes. */
const COUNTED: usize = memory.data<u8>([
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Returns bits other than 0 where a character of sixteen bytes is invalid. `before`: the bytes before. */
@inline
function faultsIn(before: v128, bytes: v128): v128 {
  const half = i8x16.splat(0x0f);
  const first = i8x16.shuffle(
    before, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
  );
  const second = i8x16.shuffle(
    before, bytes, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
  );
  const third = i8x16.shuffle(
    before, bytes, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
  );
  const firstHigh = i8x16.swizzle(v128.load(FIRST_HIGH), i8x16.shr_u(first, 4));
  const firstLow = i8x16.swizzle(v128.load(FIRST_LOW), v128.and(first, half));
  const secondHigh = i8x16.swizzle(v128.load(SECOND_HIGH), i8x16.shr_u(bytes, 4));
  const pairs = v128.and(v128.and(firstHigh, firstLow), secondHigh);
  // The second byte after a lead of three or four, and the third after a lead of four, must be the
  // second of two continuations. The bit of two continuations is valid there and nowhere else.
  const ofThree = i8x16.sub_sat_u(second, i8x16.splat(0x60));
  const ofFour = i8x16.sub_sat_u(third, i8x16.splat(0x70));
  const expected = v128.and(v128.or(ofThree, ofFour), i8x16.splat(<i8>0x80));
  return v128.xor(expected, pairs);
}

/**
 * `validateUtf8` without its fast path; the bytes before `p` are complete characters. Most texts have few
 * characters that are not ASCII: sixty-four bytes of ASCII are skipped at once.
 */
function validateMixed(p: usize, end: usize): i32 {
  const lastBytes = v128.load(LAST_BYTES);
  let before = i8x16.splat(0);
  let faults = i8x16.splat(0);
  while (p + 64 <= end) {
    const first = v128.load(p);
    const second = v128.load(p, 16);
    const third = v128.load(p, 32);
    const fourth = v128.load(p, 48);
    if (i8x16.bitmask(v128.or(v128.or(first, second), v128.or(third, fourth))) == 0) {
      faults = v128.or(faults, i8x16.sub_sat_u(before, lastBytes));
    } else {
      faults = v128.or(faults, v128.or(faultsIn(before, first), faultsIn(first, second)));
      faults = v128.or(faults, v128.or(faultsIn(second, third), faultsIn(third, fourth)));
    }
    before = fourth;
    p += 64;
  }
  for (; p + 16 <= end; p += 16) {
    const bytes = v128.load(p);
    faults = v128.or(faults, faultsIn(before, bytes));
    before = bytes;
  }
  // Bytes after the end count as ASCII, before which every character must be complete.
  const rest = v128.and(v128.load(p), v128.load(COUNTED + 16 - (end - p)));
  faults = v128.or(faults, faultsIn(before, rest));
  return v128.any_true(faults) ? 0 : 1;
}

/**
 * Returns 1 if [start, end) is well-formed UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates,
 * nothing above U+10FFFF), else 0. Reads up to 16 bytes past `end`.
 */
export function validateUtf8(start: usize, end: usize): i32 {
  let p = start;
  for (; p + 64 <= end; p += 64) {
    const low = v128.or(v128.load(p), v128.load(p, 16));
    const any = v128.or(low, v128.or(v128.load(p, 32), v128.load(p, 48)));
    if (i8x16.bitmask(any) != 0) return validateMixed(p, end);
  }
  for (; p + 16 <= end; p += 16) {
    if (i8x16.bitmask(v128.load(p)) != 0) return validateMixed(p, end);
  }
  const rest = v128.and(v128.load(p), v128.load(COUNTED + 16 - (end - p)));
  return i8x16.bitmask(rest) == 0 ? 1 : validateMixed(p, end);
}

/**
 * `copyLoose` in steps of 64: texts of different lengths mostly take the same number of steps, so the end of
 * the loop is predicted. Reads and writes up to 63 bytes past the end.
 */
@inline
export function copyWide(target: usize, source: usize, length: usize): usize {
  if (length > 1024) {
    memory.copy(target, source, length);
  } else {
    for (let i: usize = 0; i < length; i += 64) {
      v128.store(target + i, v128.load(source + i));
      v128.store(target + i, v128.load(source + i, 16), 16);
      v128.store(target + i, v128.load(source + i, 32), 32);
      v128.store(target + i, v128.load(source + i, 48), 48);
    }
  }
  return target + length;
}

/**
 * Copies `length` bytes in steps of 16 and returns the address after them. Overwrites up to 15 bytes
 * past the end of the target.
 */
@inline
export function copyLoose(target: usize, source: usize, length: usize): usize {
  if (length > 512) {
    memory.copy(target, source, length);
  } else {
    for (let i: usize = 0; i < length; i += 16) v128.store(target + i, v128.load(source + i));
  }
  return target + length;
}
