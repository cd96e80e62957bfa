// Snappy, raw format: https://github.com/google/snappy/blob/main/format_description.txt
//
// One window over the whole input instead of independent blocks of 64 KiB, as the format allows:
// matches reach back up to 65,535 bytes anywhere. The output depends on the input alone.

import { copyLoose } from "../utf8";

/** Entries of the table of positions are 2^TABLE_BITS_MAX u32 at most. */
const TABLE_BITS_MAX: u32 = 14;
const TABLE_BITS_MIN: u32 = 8;
const table: usize = memory.data(65_536);

/** A copy element reaches back this far with two bytes. */
const OFFSET_MAX: usize = 65_535;

/** Positions closer to the end than this are skipped, so that loads of 8 bytes stay inside. */
const MARGIN: usize = 16;

/** Misses after which the search continues in steps of 2, twice as many for 3, and so on. */
const SKIP_SHIFT: u32 = 5;

/**
 * Returns the maximum of bytes that `snappyCompress` writes for `length` bytes, including loose
 * stores.
 */
export function snappyBytesMax(length: usize): usize {
  return 64 + length + length / 6;
}

/**
 * Compare six bytes: on JSON, four give many short matches, which cost more time than they save.
 */
@inline
function slotOf(bytes: u64, shift: u64): usize {
  return table + ((<usize>(((bytes << 16) * 0x9e3779b185ebca87) >> shift)) << 2);
}

@inline
function writeLength(target: usize, length: usize): usize {
  while (length >= 0x80) {
    store<u8>(target++, <u8>(length | 0x80));
    length >>= 7;
  }
  store<u8>(target++, <u8>length);
  return target;
}

@inline
function writeLiteral(target: usize, source: usize, length: usize): usize {
  const n = length - 1;
  if (n < 60) {
    store<u8>(target++, <u8>(n << 2));
  } else if (n < 0x100) {
    store<u8>(target, 60 << 2);
    store<u8>(target, <u8>n, 1);
    target += 2;
  } else if (n < 0x10000) {
    store<u8>(target, 61 << 2);
    store<u16>(target, <u16>n, 1);
    target += 3;
  } else {
    store<u8>(target, 63 << 2);
    store<u32>(target, <u32>n, 1);
    target += 5;
  }
  return copyLoose(target, source, length);
}

@inline
function writeCopy64(target: usize, offset: usize, length: usize): usize {
  store<u32>(target, 2 | (<u32>(length - 1) << 2) | (<u32>offset << 8));
  return target + 3;
}

@inline
function writeCopy(target: usize, offset: usize, length: usize): usize {
  while (length >= 68) {
    target = writeCopy64(target, offset, 64);
    length -= 64;
  }
  if (length > 64) {
    target = writeCopy64(target, offset, 60);
    length -= 60;
  }
  if (length < 12 && offset < 2048) {
    store<u16>(target, <u16>(1 | ((length - 4) << 2) | ((offset >> 8) << 5) | ((offset & 0xff) << 8)));
    return target + 2;
  }
  return writeCopy64(target, offset, length);
}

/** Returns how many bytes from `p` on equal those from `candidate` on, up to `end`. */
@inline
function matchLength(candidate: usize, p: usize, end: usize): usize {
  const start = p;
  while (p + 8 <= end) {
    const difference = load<u64>(p) ^ load<u64>(candidate);
    if (difference != 0) return p - start + <usize>(ctz(difference) >> 3);
    p += 8;
    candidate += 8;
  }
  while (p < end && load<u8>(p) == load<u8>(candidate)) {
    p++;
    candidate++;
  }
  return p - start;
}

/**
 * Compresses `length` bytes at `source` to `target` and returns the length of the result. `target`
 * must have room for `snappyBytesMax(length)` bytes.
 */
export function snappyCompress(source: usize, length: usize, target: usize): usize {
  let t = writeLength(target, length);
  const end = source + length;
  let literal = source;
  if (length > MARGIN) {
    let bits = TABLE_BITS_MIN;
    while (bits < TABLE_BITS_MAX && (<usize>1) << bits < length) bits++;
    const shift = <u64>(64 - bits);
    memory.fill(table, 0, (<usize>4) << bits);
    const limit = end - MARGIN;
    let p = source + 1;
    let misses: usize = 1 << SKIP_SHIFT;
    while (p <= limit) {
      const bytes = load<u64>(p);
      const slot = slotOf(bytes, shift);
      const candidate = source + <usize>load<u32>(slot);
      store<u32>(slot, <u32>(p - source));
      if (<u32>bytes != load<u32>(candidate) || p - candidate > OFFSET_MAX) {
        p += misses++ >> SKIP_SHIFT;
        continue;
      }
      if (p > literal) t = writeLiteral(t, literal, p - literal);
      const matched: usize = 4 + matchLength(candidate + 4, p + 4, end);
      t = writeCopy(t, p - candidate, matched);
      p += matched;
      literal = p;
      misses = 1 << SKIP_SHIFT;
      if (p <= limit) {
        store<u32>(slotOf(load<u64>(p - 2), shift), <u32>(p - 2 - source));
      }
    }
  }
  if (literal < end) t = writeLiteral(t, literal, end - literal);
  return t - target;
}
