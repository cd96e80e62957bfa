// Up to 64 bytes that are kept to be compared with what comes later: all 64 are stored and loaded,
// and a mask by their length says which of them count, as a loop or a call would take longer than
// the comparison.

export const REMEMBERED_BYTES_MAX: usize = 64;

/** Sixteen bytes from here less n: n bytes that count, then bytes that do not. */
const MASKS: usize = memory.data<u8>([
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/**
 * How the `length` bytes at `p`, at most 64, differ from those at `known`: no bit is set where they are
 * the same. Reads up to 64 bytes.
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

/** Keeps the 64 bytes at `p`, however many of them count. */
@inline
export function remember(known: usize, p: usize): void {
  v128.store(known, v128.load(p));
  v128.store(known, v128.load(p, 16), 16);
  v128.store(known, v128.load(p, 32), 32);
  v128.store(known, v128.load(p, 48), 48);
}

/** White space with a line feed has to be seen each time: it ends rows. */
export function hasControl(p: usize, end: usize): bool {
  for (; p < end; p++) if (load<u8>(p) < 0x20) return true;
  return false;
}
