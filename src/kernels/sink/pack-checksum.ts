// Checksum of packs: four lanes of 64 bits mix 32 bytes at a time, because one lane would wait for
// each product. It detects damage, not forgery.

import { mix } from "../byte-hash";

const LANE_BYTES: usize = 8;
const STEP_BYTES: usize = 32;

/**
 * Returns the checksum of the `length` bytes of a pack at `start`, its day and its rows, so that no
 * other entry fits.
 */
export function checksumPack(start: usize, length: usize, day: i32, rows: i32): u32 {
  const end = start + length;
  let a = mix(<u64>length, (<u64>(<u32>day) << 32) | <u64>(<u32>rows));
  let b: u64 = a + 1;
  let c: u64 = a + 2;
  let d: u64 = a + 3;
  let p = start;
  for (; p + STEP_BYTES <= end; p += STEP_BYTES) {
    a = mix(a, load<u64>(p));
    b = mix(b, load<u64>(p, 8));
    c = mix(c, load<u64>(p, 16));
    d = mix(d, load<u64>(p, 24));
  }
  for (; p + LANE_BYTES <= end; p += LANE_BYTES) a = mix(a, load<u64>(p));
  for (; p < end; p++) b = mix(b, <u64>load<u8>(p));
  const sum = mix(mix(mix(a, b), c), d);
  return <u32>(sum >> 32);
}
