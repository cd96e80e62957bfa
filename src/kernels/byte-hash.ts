// Hashes and compares byte strings. Both load whole words and ignore all bytes past the length.

@inline
export function lowBytes(word: u64, count: usize): u64 {
  return word & (((<u64>1) << (<u64>count << 3)) - 1);
}

@inline
export function mix(hash: u64, word: u64): u64 {
  const product = (hash ^ word) * 0x9e3779b97f4a7c15;
  return product ^ (product >> 32);
}

/** Returns a hash whose upper bits are better mixed than its lower ones. */
@inline
export function hashOf(start: usize, length: usize): u64 {
  let hash: u64 = <u64>length * 0xff51afd7ed558ccd;
  const end = start + length;
  let p = start;
  for (; p + 8 <= end; p += 8) hash = mix(hash, load<u64>(p));
  if (p < end) hash = mix(hash, lowBytes(load<u64>(p), end - p));
  return hash;
}

/** Bits of a hash that is kept: as many as a JavaScript number has. The lowest eleven are 0. */
export const KEPT_BITS: u32 = 53;

/** `hashOf` with all bits equally well mixed (the finalizer of MurmurHash3), for sketches. */
@inline
export function spreadHash(start: usize, length: usize): u64 {
  return spread(hashOf(start, length));
}

@inline
export function spread(hash: u64): u64 {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return (hash ^ (hash >> 33)) & ~(<u64>0x7ff);
}

@inline
export function equal(a: usize, b: usize, length: usize): bool {
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  return i == length || lowBytes(load<u64>(a + i) ^ load<u64>(b + i), length - i) == 0;
}
