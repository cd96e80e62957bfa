// Parquet's rare encodings of values and levels, rewritten to those that `readPageRows` takes. The input
// is untrusted: everything that it says is checked before it is used.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/

/**
 * Returns the bytes of `count` byte strings that follow each other from `p` on, each a prefix of the one
 * before it and a suffix. `list` has the lengths of both (u32 each). Returns -1 where a prefix is longer
 * than the string before it, or the suffixes go beyond `end`.
 */
export function measurePrefixed(list: usize, count: u32, p: usize, end: usize): f64 {
  let total: u64 = 0;
  let before: u64 = 0;
  let left = <u64>(end - p);
  for (let i: u32 = 0; i < count; i++, list += 8) {
    const prefix = <u64>load<u32>(list);
    const suffix = <u64>load<u32>(list, 4);
    if (prefix > before || suffix > left) return -1;
    left -= suffix;
    before = prefix + suffix;
    total += before;
  }
  return <f64>total;
}

/**
 * Writes the byte strings that `measurePrefixed` measured to `target`, and their addresses and lengths to
 * `list`. Returns 1, or 0 where `width` is not 0 and a string has another length.
 */
export function joinPrefixed(list: usize, count: u32, p: usize, width: u32, target: usize): u32 {
  let before = target;
  for (let i: u32 = 0; i < count; i++, list += 8) {
    const prefix = <usize>load<u32>(list);
    const suffix = <usize>load<u32>(list, 4);
    if (width != 0 && prefix + suffix != <usize>width) return 0;
    memory.copy(target, before, prefix);
    memory.copy(target + prefix, p, suffix);
    store<u32>(list, <u32>target);
    store<u32>(list, <u32>(prefix + suffix), 4);
    p += suffix;
    before = target;
    target += prefix + suffix;
  }
  return 1;
}

/**
 * Joins BYTE_STREAM_SPLIT values of `width` bytes: the first bytes of all values are followed by all of
 * the second bytes, and so on.
 */
export function joinStreams(start: usize, count: u32, width: u32, target: usize): void {
  for (let byte: usize = 0; byte < <usize>width; byte++) {
    const stream = start + byte * <usize>count;
    let p = target + byte;
    for (let i: usize = 0; i < <usize>count; i++, p += <usize>width) {
      store<u8>(p, load<u8>(stream + i));
    }
  }
}

/** Writes the first `count` levels (u8 each) of BIT_PACKED ones, the highest bit of each byte first. */
export function unpackLevels(start: usize, count: u32, width: u32, target: usize): void {
  let bit: usize = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    let level: u32 = 0;
    for (let k: u32 = 0; k < width; k++, bit++) {
      level = (level << 1) | ((<u32>load<u8>(start + (bit >> 3)) >> (7 - (<u32>bit & 7))) & 1);
    }
    store<u8>(target + i, <u8>level);
  }
}
