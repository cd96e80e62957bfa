// Reads Parquet's hybrid of runs of equal values and bit-packed values, some values at a time. Levels,
// repeats and indexes of dictionaries are written in it. A run begins with a varint. Its lowest bit is 0
// for a repeated value and 1 for groups of eight values of `width` bits each; the others are their number.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE

/** A reading position. The bytes are untrusted: nothing after `end` is taken for a value. */
@unmanaged
export class Hybrid {
  /** Next byte; in a packed run the byte in which the next value begins. */
  next: usize;
  end: usize;
  /** Bits of a value, 0 to 32. */
  width: u32;
  /** Values left in the run. */
  left: u32;
  /** 1 in a packed run. */
  packed: u32;
  /** Packed: bits of the first byte that were read already. */
  bit: u32;
  /** Packed: byte after the run. */
  runEnd: usize;
  /** Not packed: the value of the run. */
  value: u32;
}

/** Reads the header of the next run that has values. Returns false if the bytes end or are invalid. */
function beginRun(state: Hybrid): bool {
  while (true) {
    if (state.packed != 0) {
      state.next = state.runEnd;
      state.packed = 0;
    }
    let header: u64 = 0;
    let shift: u64 = 0;
    let byte: u32 = 0x80;
    while ((byte & 0x80) != 0) {
      if (state.next >= state.end || shift > 28) return false;
      byte = load<u8>(state.next++);
      header |= (<u64>(byte & 0x7f)) << shift;
      shift += 7;
    }
    if ((header & 1) != 0) beginPacked(state, header >> 1);
    else if (!beginEqual(state, <u32>(header >> 1))) return false;
    if (state.left > 0) return true;
  }
}

/** Some writers leave out the padding of the last group: only the bytes that are there count. */
function beginPacked(state: Hybrid, groups: u64): void {
  const width = <u64>state.width;
  const bytes = <u64>(state.end - state.next);
  const there = width == 0 ? <u64>u32.MAX_VALUE : (bytes << 3) / width;
  state.left = <u32>min<u64>(groups << 3, there);
  state.runEnd = state.next + <usize>min<u64>(groups * width, bytes);
  state.packed = 1;
  state.bit = 0;
}

function beginEqual(state: Hybrid, count: u32): bool {
  const bytes = <usize>((state.width + 7) >> 3);
  if (state.end - state.next < bytes) return false;
  let value: u32 = 0;
  for (let i: usize = 0; i < bytes; i++) {
    value |= (<u32>load<u8>(state.next + i)) << (<u32>i << 3);
  }
  state.value = value;
  state.next += bytes;
  state.left = count;
  return true;
}

/** Reads up to `count` values to `target` (u32 each) and returns their number. */
export function readValues(state: Hybrid, count: u32, target: usize): u32 {
  let done: u32 = 0;
  while (done < count) {
    if (state.left == 0 && !beginRun(state)) return done;
    const part = min(state.left, count - done);
    const to = target + ((<usize>done) << 2);
    if (state.packed != 0) {
      unpackValues(state, part, to);
    } else {
      const value = state.value;
      for (let i: u32 = 0; i < part; i++) store<u32>(to + ((<usize>i) << 2), value);
    }
    state.left -= part;
    done += part;
  }
  return done;
}

function unpackValues(state: Hybrid, count: u32, target: usize): void {
  const width = <usize>state.width;
  const mask = ((<u64>1) << (<u64>width)) - 1;
  const start = state.next;
  let bit = <usize>state.bit;
  for (let i: u32 = 0; i < count; i++) {
    const word = load<u64>(start + (bit >> 3)) >> (<u64>(bit & 7));
    store<u32>(target + ((<usize>i) << 2), <u32>(word & mask));
    bit += width;
  }
  state.next = start + (bit >> 3);
  state.bit = <u32>(bit & 7);
}

/** `readValues` to u8; values above 255 become 255. */
export function readLevels(state: Hybrid, count: u32, target: usize): u32 {
  let done: u32 = 0;
  while (done < count) {
    if (state.left == 0 && !beginRun(state)) return done;
    const part = min(state.left, count - done);
    const to = target + <usize>done;
    if (state.packed == 0) memory.fill(to, <u8>min<u32>(state.value, 255), <usize>part);
    else unpackLevels(state, part, to);
    state.left -= part;
    done += part;
  }
  return done;
}

function unpackLevels(state: Hybrid, count: u32, target: usize): void {
  const width = <usize>state.width;
  const mask = ((<u64>1) << (<u64>width)) - 1;
  const start = state.next;
  let bit = <usize>state.bit;
  let i: u32 = 0;
  if (width == 1 && bit == 0) {
    for (; i + 8 <= count; i += 8, bit += 8) {
      // Eight bits to eight bytes at once: each byte keeps its own bit, and carries it to the top.
      const bits = (<u64>load<u8>(start + (bit >> 3)) * 0x0101010101010101) & 0x8040201008040201;
      const ones = ((bits + 0x7f7f7f7f7f7f7f7f) >> 7) & 0x0101010101010101;
      store<u64>(target + <usize>i, ones);
    }
  }
  for (; i < count; i++) {
    const word = load<u64>(start + (bit >> 3)) >> (<u64>(bit & 7));
    store<u8>(target + <usize>i, <u8>min<u64>(word & mask, 255));
    bit += width;
  }
  state.next = start + (bit >> 3);
  state.bit = <u32>(bit & 7);
}
