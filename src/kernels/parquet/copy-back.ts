// Copies of decompressors in steps of 16 or 64 bytes, past their end.

/** Bytes after a target that are overwritten, at most. */
export const LOOSE_BYTES: usize = 64;

/**
 * Tables by distance below 16: the byte before the target that each of the next 16 bytes repeats, and
 * the number of these bytes in whole repetitions.
 */
const patterns: usize = memory.data(256, 16);
const strides: usize = memory.data(16);
let prepared: bool = false;

/** To be called before `copyBack`. */
@inline
export function preparePatterns(): void {
  if (!prepared) makePatterns();
}

function makePatterns(): void {
  for (let distance: usize = 1; distance < 16; distance++) {
    for (let i: usize = 0; i < 16; i++) {
      store<u8>(patterns + (distance << 4) + i, <u8>(i % distance));
    }
    store<u8>(strides + distance, <u8>(16 - (16 % distance)));
  }
  prepared = true;
}

/** Copies 64 bytes. */
@inline
export function copy64(target: usize, source: usize): void {
  const a = v128.load(source);
  const b = v128.load(source, 16);
  const c = v128.load(source, 32);
  const d = v128.load(source, 48);
  v128.store(target, a);
  v128.store(target, b, 16);
  v128.store(target, c, 32);
  v128.store(target, d, 48);
}

/** Repeats up to 64 bytes from `distance` before the target; they may overlap the target. */
@inline
export function copyBack(target: usize, distance: usize, length: usize): void {
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
