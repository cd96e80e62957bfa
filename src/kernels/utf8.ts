/** True when every byte of [start, end) is below 0x80. */
export function isAscii(start: usize, end: usize): bool {
  let any = i8x16.splat(0);
  let p = start;
  for (; p + 16 <= end; p += 16) any = v128.or(any, v128.load(p));
  if (i8x16.bitmask(any) != 0) return false;
  for (; p < end; p++) if (load<u8>(p) >= 0x80) return false;
  return true;
}

@inline
function continues(p: usize): bool {
  return (load<u8>(p) & 0xc0) == 0x80;
}

/**
 * 1 when [start, end) is well-formed UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates,
 * nothing above U+10FFFF), else 0.
 */
export function validateUtf8(start: usize, end: usize): i32 {
  let p = start;
  while (p < end) {
    if (p + 64 <= end) {
      const low = v128.or(v128.load(p), v128.load(p, 16));
      const any = v128.or(low, v128.or(v128.load(p, 32), v128.load(p, 48)));
      if (i8x16.bitmask(any) == 0) {
        p += 64;
        continue;
      }
    }
    if (p + 16 <= end) {
      const high = i8x16.bitmask(v128.load(p));
      if (high == 0) {
        p += 16;
        continue;
      }
      p += <usize>ctz(high);
    }
    const lead = <u32>load<u8>(p);
    if (lead < 0x80) {
      p++;
    } else if (lead < 0xc2) {
      return 0;
    } else if (lead < 0xe0) {
      if (p + 2 > end || !continues(p + 1)) return 0;
      p += 2;
    } else if (lead < 0xf0) {
      if (p + 3 > end || !continues(p + 1) || !continues(p + 2)) return 0;
      const second = <u32>load<u8>(p, 1);
      if (lead == 0xe0 && second < 0xa0) return 0;
      if (lead == 0xed && second > 0x9f) return 0;
      p += 3;
    } else {
      if (lead > 0xf4 || p + 4 > end) return 0;
      if (!continues(p + 1) || !continues(p + 2) || !continues(p + 3)) return 0;
      const second = <u32>load<u8>(p, 1);
      if (lead == 0xf0 && second < 0x90) return 0;
      if (lead == 0xf4 && second > 0x8f) return 0;
      p += 4;
    }
  }
  return 1;
}

/**
 * Copies `length` bytes in steps of 16 and returns the address after them. May write up to 15 bytes
 * past the end of the target, which must be free to be overwritten.
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
