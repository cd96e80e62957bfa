// Literals and matches of a DEFLATE block. A fast loop runs while there is plenty of input and may
// load bytes early. An exact loop decodes the last bytes. A match longer than its distance repeats
// bytes that it has written itself.

import {
  DISTANCE_BITS, distanceTable, END, LITERAL, LITERAL_BITS, literalTable, SPECIAL, SUBTABLE,
} from "./inflate-codes";
import {
  DONE, GOING_ON, Stream, TOO_FAR_BACK, TRUNCATED, UNKNOWN_DISTANCE, UNKNOWN_LITERAL,
} from "./inflate-state";

/** Least input bytes for a step of the fast loop: three words, read ahead. */
export const INPUT_MARGIN: usize = 24;

/** Bytes that one step may write: the longest match, literals before it, and copy overruns. */
export const OUTPUT_MARGIN: usize = 352;

const VECTOR_BYTES: usize = 16;

const CODE_BITS_MAX: u32 = 15;
const LITERAL_MASK: usize = (1 << LITERAL_BITS) - 1;
const LITERAL_REST: usize = (1 << (CODE_BITS_MAX - LITERAL_BITS)) - 1;
const DISTANCE_MASK: usize = (1 << DISTANCE_BITS) - 1;
const DISTANCE_REST: usize = (1 << (CODE_BITS_MAX - DISTANCE_BITS)) - 1;

@inline
function lookUp(table: usize, index: usize): u32 {
  return load<u32>(table + (index << 2));
}

/** Returns the length or distance whose code and extra bits are the lowest bits. */
@inline
function valueOf(entry: u32, bits: u64): usize {
  // Shifts are modulo 64, so the entry needs no mask.
  const extra = (bits & ~((<u64>-1) << <u64>entry)) >> <u64>(entry >> 8);
  return <usize>(entry >> 16) + <usize>extra;
}

/** Returns the whole bytes that fit above this many bits of a word. */
@inline
function bytesTaken(bitCount: u32): usize {
  return <usize>(((63 - bitCount) >> 3) & 7);
}

/** Returns bits that were taken early to the input. */
@inline
function returnBits(stream: Stream, input: usize, bits: u64, bitCount: u32): void {
  stream.input = input - (bitCount >> 3);
  stream.bitCount = bitCount & 7;
  stream.bits = bits & ((<u64>1 << <u64>(bitCount & 7)) - 1);
}

@inline
function writeLiterals(output: usize, entry: u32): usize {
  store<u16>(output, <u16>(entry >> 8));
  return output + ((entry >> 6) & 3);
}

@inline
function subtableIndex(entry: u32): usize {
  return <usize>((entry >> 8) & 0xffff);
}

/**
 * Decodes while `INPUT_MARGIN` bytes of input and `OUTPUT_MARGIN` of room are left. Returns
 * GOING_ON if they are not, DONE at the end of the block.
 *
 * Bits are refilled without a branch: eight bytes are put above the present bits, and those that
 * fit whole count. Only the lowest six bits of `bitCount` are significant, because whole entries
 * are subtracted. The next entry is looked up before the match is copied, because each lookup waits
 * for the last one.
 */
export function decodeFast(stream: Stream): i32 {
  let input = stream.input;
  // The first word is taken before the first step.
  const inputSafe = stream.inputEnd - (INPUT_MARGIN - 8);
  let output = stream.output;
  const outputSafe = stream.outputEnd - OUTPUT_MARGIN;
  const history = stream.history;
  let bitCount = stream.bitCount;
  let bits = stream.bits | (load<u64>(input) << <u64>bitCount);
  input += bytesTaken(bitCount);
  bitCount |= 56;
  let entry = lookUp(literalTable, <usize>bits & LITERAL_MASK);
  while (input <= inputSafe && output <= outputSafe) {
    bits |= load<u64>(input) << <u64>bitCount;
    input += bytesTaken(bitCount);
    bitCount |= 56;
    if (entry & SPECIAL) {
      if (entry & SUBTABLE) {
        bits >>= LITERAL_BITS;
        bitCount -= LITERAL_BITS;
        entry = lookUp(literalTable, subtableIndex(entry) + (<usize>bits & LITERAL_REST));
      }
      if (entry & SPECIAL) {
        const status = entry & END ? DONE : UNKNOWN_LITERAL;
        return leave(stream, output, input, bits >> <u64>entry, bitCount - entry, status);
      }
    }
    if (entry & LITERAL) {
      output = writeLiterals(output, entry);
      bits >>= <u64>entry;
      bitCount -= entry;
      entry = lookUp(literalTable, <usize>bits & LITERAL_MASK);
      if (entry & LITERAL) {
        output = writeLiterals(output, entry);
        bits >>= <u64>entry;
        bitCount -= entry;
        entry = lookUp(literalTable, <usize>bits & LITERAL_MASK);
      }
      // At most 25 bits are taken: enough remain for a length.
      if (entry & (LITERAL | SPECIAL)) continue;
    }
    const length = valueOf(entry, bits);
    bits >>= <u64>entry;
    bitCount -= entry;
    entry = lookUp(distanceTable, <usize>bits & DISTANCE_MASK);
    bits |= load<u64>(input) << <u64>bitCount;
    input += bytesTaken(bitCount);
    bitCount |= 56;
    if (entry & SPECIAL) {
      if (entry & SUBTABLE) {
        bits >>= DISTANCE_BITS;
        bitCount -= DISTANCE_BITS;
        entry = lookUp(distanceTable, subtableIndex(entry) + (<usize>bits & DISTANCE_REST));
      }
      if (entry & SPECIAL) return leave(stream, output, input, bits, bitCount, UNKNOWN_DISTANCE);
    }
    const distance = valueOf(entry, bits);
    bits >>= <u64>entry;
    bitCount -= entry;
    entry = lookUp(literalTable, <usize>bits & LITERAL_MASK);
    if (distance > output - history) {
      return leave(stream, output, input, bits, bitCount, TOO_FAR_BACK);
    }
    copyMatch(output, distance, length);
    output += length;
  }
  return leave(stream, output, input, bits, bitCount, GOING_ON);
}

function leave(
  stream: Stream, output: usize, input: usize, bits: u64, bitCount: u32, status: i32,
): i32 {
  stream.output = output;
  returnBits(stream, input, bits, bitCount & 63);
  return status;
}

/** Indexes, by distance below 16, of the bytes before the match that form its first 16. */
const patterns = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
  0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0,
  0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3,
  0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0,
  0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3,
  0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1,
  0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 1,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0,
]);

/**
 * Copies in whole vectors, at least 64 bytes: most matches are shorter, and a branch on each length
 * is mispredicted too often. A loaded vector may be one that was just written.
 */
@inline
function copyMatch(output: usize, distance: usize, length: usize): void {
  let source = output - distance;
  const end = output + length;
  if (distance >= VECTOR_BYTES) {
    copy64(output, source);
    for (output += 64; output < end; output += 64) {
      source += 64;
      copy64(output, source);
    }
  } else {
    const pattern = i8x16.swizzle(v128.load(source), v128.load(patterns + (distance << 4)));
    const step = VECTOR_BYTES - (VECTOR_BYTES % distance);
    for (; output < end; output += step) v128.store(output, pattern);
  }
}

@inline
function copy64(target: usize, source: usize): void {
  v128.store(target, v128.load(source));
  v128.store(target, v128.load(source, 16), 16);
  v128.store(target, v128.load(source, 32), 32);
  v128.store(target, v128.load(source, 48), 48);
}

/**
 * Decodes the last bytes of the input and reads none after them. Returns DONE at the end of the
 * block, GOING_ON if the room ends, TRUNCATED if the input ends within a symbol or before one.
 */
export function decodeExactly(stream: Stream): i32 {
  const outputSafe = stream.outputEnd - OUTPUT_MARGIN;
  let status = GOING_ON;
  while (status == GOING_ON && stream.output <= outputSafe) status = decodeSymbol(stream);
  return status;
}

function decodeSymbol(stream: Stream): i32 {
  let input = stream.input;
  let bits = stream.bits;
  let bitCount = stream.bitCount;
  for (; bitCount <= 56 && input < stream.inputEnd; bitCount += 8) {
    bits |= <u64>load<u8>(input++) << <u64>bitCount;
  }
  let entry = lookUp(literalTable, <usize>bits & LITERAL_MASK);
  let used: u32 = 0;
  if (entry & SPECIAL && entry & SUBTABLE) {
    used = LITERAL_BITS;
    const rest = <usize>(bits >> LITERAL_BITS) & LITERAL_REST;
    entry = lookUp(literalTable, subtableIndex(entry) + rest);
  }
  if (entry & LITERAL) {
    const literal = (entry >> 8) & 0xff;
    // Not the entry's own bits, which may be those of two literals.
    used = load<u8>(stream.lengths + literal);
    if (used > bitCount) return TRUNCATED;
    store<u8>(stream.output++, <u8>literal);
    returnBits(stream, input, bits >> <u64>used, bitCount - used);
    return GOING_ON;
  }
  used += entry & 63;
  if (used > bitCount) return TRUNCATED;
  if (entry & SPECIAL) {
    returnBits(stream, input, bits >> <u64>used, bitCount - used);
    return entry & END ? DONE : UNKNOWN_LITERAL;
  }
  const length = valueOf(entry, bits >> <u64>(used - (entry & 63)));
  bits >>= <u64>used;
  bitCount -= used;
  entry = lookUp(distanceTable, <usize>bits & DISTANCE_MASK);
  if (entry & SPECIAL && entry & SUBTABLE) {
    if (bitCount < DISTANCE_BITS) return TRUNCATED;
    bits >>= DISTANCE_BITS;
    bitCount -= DISTANCE_BITS;
    entry = lookUp(distanceTable, subtableIndex(entry) + (<usize>bits & DISTANCE_REST));
  }
  used = entry & 63;
  if (used > bitCount) return TRUNCATED;
  if (entry & SPECIAL) return UNKNOWN_DISTANCE;
  const distance = valueOf(entry, bits);
  if (distance > stream.output - stream.history) return TOO_FAR_BACK;
  copyMatch(stream.output, distance, length);
  stream.output += length;
  returnBits(stream, input, bits >> <u64>used, bitCount - used);
  return GOING_ON;
}
