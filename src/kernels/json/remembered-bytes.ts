// Up to 64 bytes that are kept for later comparison. All 64 are stored and loaded, and a mask
// selects the significant ones, because a loop or a call would take longer than the comparison.

export const REMEMBERED_BYTES_MAX: usize = 64;

/** Sixteen bytes from here minus n: n significant bytes, then zeros. */
const MASKS: usize = memory.data<u8>([
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/**
 * Returns the differing bits of the `length` bytes at `p`, at most 64, and those at `known`: zero
 * if they are equal. Reads up to 64 bytes.
 */
@inline
export function difference(known: usize, p: usize, length: usize): v128 {
  let bits = v128.xor(v128.load(p), v128.load(known));
  if (length <= 16) return v128.and(bits, v128.load(MASKS + 16 - length));
  // The last sixteen may overlap the first.
  const last = length - 16;
  bits = v128.or(bits, v128.xor(v128.load(p + last), v128.load(known + last)));
  if (length > 32) {
    const second = v128.xor(v128.load(p, 16), v128.load(known, 16));
    const third = v128.xor(v128.load(p, 32), v128.load(known, 32));
    bits = v128.or(bits, v128.or(second, length > 48 ? third : second));
  }
  return bits;
}

/** Keeps the 64 bytes at `p`, however many of them are significant. */
@inline
export function remember(known: usize, p: usize): void {
  v128.store(known, v128.load(p));
  v128.store(known, v128.load(p, 16), 16);
  v128.store(known, v128.load(p, 32), 32);
  v128.store(known, v128.load(p, 48), 48);
}

/** Returns true for a control character: a line feed ends rows, so it must be seen each time. */
export function hasControl(p: usize, end: usize): bool {
  for (; p < end; p++) if (load<u8>(p) < 0x20) return true;
  return false;
}
