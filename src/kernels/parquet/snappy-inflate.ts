// Decompression of Snappy's raw format. The input is foreign: every length and every distance is held
// against what is there before it is followed.
// https://github.com/google/snappy/blob/main/format_description.txt

/** Bytes behind the target that may be overwritten: copies are made 64 bytes at a time. */
const LOOSE_BYTES: usize = 64;

/**
 * For a distance below 16: which of the bytes before the target make the next 16 bytes, and how many
 * of these are whole repetitions.
 */
const patterns: usize = memory.data(256, 16);
const strides: usize = memory.data(16);
let prepared: bool = false;

function prepare(): void {
  for (let distance: usize = 1; distance < 16; distance++) {
    for (let i: usize = 0; i < 16; i++) {
      store<u8>(patterns + (distance << 4) + i, <u8>(i % distance));
    }
    store<u8>(strides + distance, <u8>(16 - (16 % distance)));
  }
  prepared = true;
}

@inline
function copy64(target: usize, source: usize): void {
  const a = v128.load(source);
  const b = v128.load(source, 16);
  const c = v128.load(source, 32);
  const d = v128.load(source, 48);
  v128.store(target, a);
  v128.store(target, b, 16);
  v128.store(target, c, 32);
  v128.store(target, d, 48);
}

/** A copy whose source may reach into its target, as far as it goes: up to 64 bytes. */
@inline
function copyBack(target: usize, distance: usize, length: usize): void {
  const source = target - distance;
  if (distance >= 16) {
    v128.store(target, v128.load(source));
    if (length > 16) {
      v128.store(target, v128.load(source, 16), 16);
      if (length > 32) {
        v128.store(target, v128.load(source, 32), 32);
        v128.store(target, v128.load(source, 48), 48);
      }
    }
    return;
  }
  const pattern = i8x16.swizzle(v128.load(source), v128.load(patterns + (distance << 4)));
  const stride = <usize>load<u8>(strides + distance);
  for (let i: usize = 0; i < length; i += stride) v128.store(target + i, pattern);
}

/**
 * Decompresses `length` bytes at `source` to `target`. Returns 1 when they make exactly `size` bytes,
 * else 0. Overwrites up to 64 bytes behind `target + size`.
 */
export function snappyDecompress(
  source: usize, length: usize, target: usize, size: usize,
): i32 {
  if (!prepared) prepare();
  let p = source;
  const end = source + length;
  let declared: u64 = 0;
  for (let shift: u64 = 0; ; shift += 7) {
    if (p >= end || shift > 28) return 0;
    const byte = <u64>load<u8>(p++);
    declared |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  if (declared != <u64>size) return 0;
  let t = target;
  const targetEnd = target + size;
  while (p < end) {
    // What follows the tag, loaded ahead: sources can be read 64 bytes over their end.
    const tag = <u32>load<u8>(p);
    const next = load<u32>(p, 1);
    let count: usize;
    let distance: usize;
    switch (tag & 3) {
      case 0: {
        count = <usize>(tag >> 2);
        p++;
        if (count >= 60) {
          const bytes = count - 59;
          count = <usize>(next & (u32.MAX_VALUE >> ((4 - <u32>bytes) << 3)));
          if (end - p < bytes) return 0;
          p += bytes;
        }
        // One less than the literal has, so that no sum can overflow.
        if (end - p <= count || targetEnd - t <= count) return 0;
        count++;
        if (count <= LOOSE_BYTES) copy64(t, p);
        else memory.copy(t, p, count);
        p += count;
        t += count;
        continue;
      }
      case 1:
        count = 4 + <usize>((tag >> 2) & 7);
        distance = <usize>(((tag >> 5) << 8) | (next & 0xff));
        p += 2;
        break;
      case 2:
        count = 1 + <usize>(tag >> 2);
        distance = <usize>(next & 0xffff);
        p += 3;
        break;
      default:
        count = 1 + <usize>(tag >> 2);
        distance = <usize>next;
        p += 5;
    }
    // `p` beyond the end: the loop ends with an element that was cut off.
    if (distance - 1 >= t - target || targetEnd - t < count) return 0;
    copyBack(t, distance, count);
    t += count;
  }
  return p == end && t == targetEnd ? 1 : 0;
}
