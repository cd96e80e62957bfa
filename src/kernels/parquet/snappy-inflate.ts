// Decompresses Snappy's raw format. The input is untrusted: every length and every distance is checked
// before it is used.
// https://github.com/google/snappy/blob/main/format_description.txt

import { copy64, copyBack, LOOSE_BYTES, preparePatterns } from "./copy-back";

/**
 * Decompresses `length` bytes at `source` to `target`. Returns 1 when they make exactly `size` bytes,
 * else 0. Writes up to `LOOSE_BYTES` after `target + size`.
 */
export function snappyDecompress(
  source: usize, length: usize, target: usize, size: usize,
): i32 {
  preparePatterns();
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
    // The bytes after the tag are loaded ahead: sources can be read 64 bytes past their end.
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
        // One less than the literal has: no sum can overflow.
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
    // If `p` is beyond the end, the element was cut off.
    if (distance - 1 >= t - target || targetEnd - t < count) return 0;
    copyBack(t, distance, count);
    t += count;
  }
  return p == end && t == targetEnd ? 1 : 0;
}
