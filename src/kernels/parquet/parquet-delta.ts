// Decodes Parquet's delta encodings of integers and of lengths. Each value is stored as the difference to
// the one before it, less the smallest difference of its block, in the bits that the largest of its
// miniblock needs. The input is untrusted: everything that it says is checked before it is used.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#DELTAENC

/** Address after the last varint that was read, or 0 if it was cut off or too long. */
let after: usize = 0;

function readVarint(p: usize, end: usize): u64 {
  let value: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 7) {
    if (p >= end) break;
    const byte = <u64>load<u8>(p++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      after = p;
      return value;
    }
  }
  after = 0;
  return 0;
}

@inline
function unzigzag(value: u64): i64 {
  return <i64>(value >> 1) ^ -(<i64>(value & 1));
}

/** Number of values that the last `unpackDeltas` decoded. */
let unpacked: u32 = 0;

export function deltaCount(): u32 {
  return unpacked;
}

/**
 * Decodes DELTA_BINARY_PACKED integers, at most `countMax`, to `target` and every `stride` bytes after it.
 * Each is written with `width` bytes (4 or 8). Returns the address after the input, or 0 if it is
 * damaged. `deltaCount` returns the number of integers.
 */
export function unpackDeltas(
  p: usize, end: usize, countMax: u32, width: u32, stride: u32, target: usize,
): usize {
  const blockSize = readVarint(p, end);
  const miniblocks = after == 0 ? 0 : readVarint(after, end);
  const total = after == 0 ? 0 : readVarint(after, end);
  const first = after == 0 ? 0 : readVarint(after, end);
  if (after == 0 || total > <u64>countMax) return 0;
  unpacked = <u32>total;
  if (miniblocks == 0 || miniblocks > 4096 || blockSize > 0x1000000) return 0;
  const size = <u32>(blockSize / miniblocks);
  if (size == 0 || (size & 7) != 0 || <u64>size * miniblocks != blockSize) return 0;
  p = after;
  if (total == 0) return p;
  let value = unzigzag(first);
  storeInteger(target, value, width);
  let left = <u32>total - 1;
  while (left > 0) {
    const least = unzigzag(readVarint(p, end));
    if (after == 0 || end - after < <usize>miniblocks) return 0;
    const widths = after;
    p = widths + <usize>miniblocks;
    for (let i: usize = 0; i < <usize>miniblocks && left > 0; i++) {
      const bits = <u32>load<u8>(widths + i);
      const count = min(left, size);
      if (bits > 64) return 0;
      if (<u64>(end - p) << 3 < <u64>count * <u64>bits) return 0;
      for (let k: u32 = 0; k < count; k++) {
        value += least + <i64>bitsAt(p, k * bits, bits);
        target += <usize>stride;
        storeInteger(target, value, width);
      }
      // Some writers leave out the padding of the last miniblock.
      p += min<usize>(<usize>(size >> 3) * <usize>bits, end - p);
      left -= count;
    }
  }
  return p;
}

@inline
function storeInteger(target: usize, value: i64, width: u32): void {
  if (width == 4) store<u32>(target, <u32>value);
  else store<i64>(target, value);
}

@inline
function bitsAt(start: usize, bit: u32, bits: u32): u64 {
  if (bits == 0) return 0;
  const p = start + <usize>(bit >> 3);
  const shift = <u64>(bit & 7);
  let word = load<u64>(p) >> shift;
  if (<u32>shift + bits > 64) word |= <u64>load<u8>(p, 8) << (64 - shift);
  return word & (u64.MAX_VALUE >> <u64>(64 - bits));
}

/**
 * Writes the addresses of `count` byte arrays that follow each other from `p` on to `list`, whose entries
 * have room for the address and then the length (u32 each). Returns 1, or 0 if they go beyond `end`.
 */
export function listDeltaLengths(list: usize, count: u32, p: usize, end: usize): u32 {
  for (let i: u32 = 0; i < count; i++, list += 8) {
    const length = <usize>load<u32>(list, 4);
    if (end - p < length) return 0;
    store<u32>(list, <u32>p);
    p += length;
  }
  return 1;
}
