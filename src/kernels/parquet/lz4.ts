// Decompresses LZ4's block format. The input is untrusted: every length and every distance is checked
// before it is used.
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md

import { copy64, copyBack, LOOSE_BYTES, preparePatterns } from "./copy-back";

const MATCH_BYTES_MIN: usize = 4;
/** A length with this value in the token continues in the next bytes. */
const CONTINUED: usize = 15;

/** Address after the length that `continueLength` read, or 0 if it is cut off or above its limit. */
let behind: usize = 0;

/** Adds bytes to a length until one of them is not 255. */
function continueLength(p: usize, end: usize, length: usize, limit: usize): usize {
  let byte: usize = 255;
  while (byte == 255) {
    if (p >= end || length > limit) {
      behind = 0;
      return 0;
    }
    byte = <usize>load<u8>(p++);
    length += byte;
  }
  behind = p;
  return length;
}

/**
 * Decompresses the block in [p, end) to `target`. Distances reach back to `history` at most. Returns the
 * address after the output, or 0 if the block is damaged or the output goes beyond `targetEnd`.
 * Writes up to `LOOSE_BYTES` after `targetEnd`.
 */
export function lz4Decompress(
  p: usize, end: usize, history: usize, target: usize, targetEnd: usize,
): usize {
  preparePatterns();
  let t = target;
  while (p < end) {
    const token = <usize>load<u8>(p++);
    let length = token >> 4;
    if (length == CONTINUED) {
      length = continueLength(p, end, length, targetEnd - t);
      if (behind == 0) return 0;
      p = behind;
    }
    if (end - p < length || targetEnd - t < length) return 0;
    if (length <= LOOSE_BYTES) copy64(t, p);
    else memory.copy(t, p, length);
    p += length;
    t += length;
    // The last sequence has no match.
    if (p == end) return t;
    if (end - p < 2) return 0;
    const distance = <usize>load<u16>(p);
    p += 2;
    length = token & CONTINUED;
    if (length == CONTINUED) {
      length = continueLength(p, end, length, targetEnd - t);
      if (behind == 0) return 0;
      p = behind;
    }
    length += MATCH_BYTES_MIN;
    // A distance of 0 wraps around to the largest number.
    if (distance - 1 >= t - history || targetEnd - t < length) return 0;
    while (length > LOOSE_BYTES) {
      copyBack(t, distance, LOOSE_BYTES);
      t += LOOSE_BYTES;
      length -= LOOSE_BYTES;
    }
    copyBack(t, distance, length);
    t += length;
  }
  return 0;
}
