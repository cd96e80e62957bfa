// Decoding tables of a DEFLATE block. A block gives the code length of each symbol, from which all
// codes follow: they are counted up, shorter ones first (RFC 1951, 3.2.2). The input has the first
// bit of a code lowest. So a table has an entry for each value of the next bits, and a short code
// has all entries that end in it. One lookup finds what they mean:
//
//   literals     LITERAL | second << 16 | first << 8 | count << 6 | bits of all codes
//   a length     base << 16 | bits of the code << 8 | bits of the code and of the extra bits
//   a distance   the same
//   end, or an unassigned code   SPECIAL | END or 0 | bits of the code
//   a longer code   SPECIAL | SUBTABLE | index of its subtable << 8
//
// Two literals in one entry, if their codes fit, save a fifth of the time on text that compresses
// badly. All subtables have one size, that of the longest code, because so long codes are rare.

import { CODE_LENGTHS_MAX, Stream } from "./inflate-state";

export const LITERAL: u32 = 0x4000_0000;
export const SPECIAL: u32 = 0x8000_0000;
export const SUBTABLE: u32 = 0x2000_0000;
export const END: u32 = 0x1000_0000;

const CODE_BITS_MAX: u32 = 15;

/** Bits of the first lookup. 12 for literals take 15 % longer, because tables must be built. */
export const LITERAL_BITS: u32 = 10;
export const DISTANCE_BITS: u32 = 8;
export const CODE_LENGTH_BITS: u32 = 7;

// A subtable holds at least two codes: only a single code of one bit may leave others unused.
const LITERAL_ENTRIES: i32 = (1 << LITERAL_BITS) + (144 << (CODE_BITS_MAX - LITERAL_BITS));
const DISTANCE_ENTRIES: i32 = (1 << DISTANCE_BITS) + (16 << (CODE_BITS_MAX - DISTANCE_BITS));

// At constant addresses, shared by all streams: the decoding loop saves one register.
export const literalTable: usize = memory.data(LITERAL_ENTRIES << 2, 64);
export const distanceTable: usize = memory.data(DISTANCE_ENTRIES << 2, 64);
export const codeLengthTable: usize = memory.data(4 << CODE_LENGTH_BITS, 64);

const lengthBases = memory.data<u16>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
  195, 227, 258,
]);
const lengthExtraBits = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]);
const distanceBases = memory.data<u16>([
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
  3073, 4097, 6145, 8193, 12289, 16385, 24577,
]);

const END_OF_BLOCK: u32 = 256;
const LENGTH_SYMBOL_MAX: u32 = 285;
const DISTANCE_SYMBOL_MAX: u32 = 29;

/** By code length: the number of its codes, and the next one to assign. */
const counts = memory.data((CODE_BITS_MAX + 1) << 2, 4);
const nextCodes = memory.data((CODE_BITS_MAX + 1) << 2, 4);

const KIND_CODE_LENGTHS: u32 = 0;
const KIND_LITERALS: u32 = 1;
const KIND_DISTANCES: u32 = 2;

/** The stream whose codes are in the tables. */
let owner: usize = 0;

/** Rebuilds the tables of the stream's block if another stream was decoded in between. */
export function ensureTables(stream: Stream): void {
  if (owner == changetype<usize>(stream)) return;
  buildLiterals(stream);
  buildDistances(stream);
}

export function buildLiterals(stream: Stream): bool {
  owner = changetype<usize>(stream);
  const lengths = stream.lengths;
  if (!build(KIND_LITERALS, lengths, stream.literals, literalTable, LITERAL_BITS)) return false;
  pairLiterals();
  return true;
}

export function buildDistances(stream: Stream): bool {
  const lengths = stream.lengths + stream.literals;
  return build(KIND_DISTANCES, lengths, stream.distances, distanceTable, DISTANCE_BITS);
}

/** Builds the code of code lengths. A set without any code decodes to zeros, one bit each. */
export function buildCodeLengths(lengths: usize, count: u32): bool {
  return build(KIND_CODE_LENGTHS, lengths, count, codeLengthTable, CODE_LENGTH_BITS);
}

/** Sets the code lengths of blocks with fixed codes. */
export function setFixedCodes(stream: Stream): void {
  const lengths = stream.lengths;
  memory.fill(lengths, 8, 144);
  memory.fill(lengths + 144, 9, 112);
  memory.fill(lengths + 256, 7, 24);
  memory.fill(lengths + 280, 8, 8);
  memory.fill(lengths + 288, 5, CODE_LENGTHS_MAX - 288);
  stream.literals = 288;
  stream.distances = 32;
}

@inline
function slot(table: usize, index: usize): usize {
  return table + (index << 2);
}

/**
 * Returns false if the lengths form no complete code: more codes than there are, or fewer, except
 * for a single code of one bit or none at all.
 */
function build(kind: u32, lengths: usize, symbols: u32, table: usize, bits: u32): bool {
  const missing = assignCodes(lengths, symbols);
  if (missing < 0) return false;
  const codes = symbols - load<u32>(counts);
  if (missing > 0) {
    const isAllowed = codes == 0 || (codes == load<u32>(counts, 4) && kind != KIND_CODE_LENGTHS);
    if (!isAllowed) return false;
    fill(table, 0, 0, bits, kind == KIND_CODE_LENGTHS ? 1 : SPECIAL | 1);
  } else {
    // Links to subtables of the previous block must not remain in this one.
    memory.fill(table, 0, 4 << bits);
  }
  let subtables: u32 = 1 << bits;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const length = <u32>load<u8>(lengths + symbol);
    if (length == 0) continue;
    const code = takeCode(length);
    const entry = entryOf(kind, symbol, length);
    if (length <= bits) {
      fill(table, code, length, bits, entry);
      continue;
    }
    const at = slot(table, code & ((1 << bits) - 1));
    if (load<u32>(at) == 0) {
      store<u32>(at, SPECIAL | SUBTABLE | (subtables << 8));
      subtables += 1 << (CODE_BITS_MAX - bits);
    }
    const subtable = slot(table, (load<u32>(at) >> 8) & 0xffff);
    // The subtable's entry is for the rest of the code. Literals have a byte where others have
    // bits.
    const isLiteral = kind == KIND_LITERALS && symbol < END_OF_BLOCK;
    const rest = isLiteral ? entry - bits : entry - bits - (bits << 8);
    fill(subtable, code >> bits, length - bits, CODE_BITS_MAX - bits, rest);
  }
  return true;
}

/** Counts and finds the first code of each length; returns how many of 2^15 codes are unused. */
function assignCodes(lengths: usize, symbols: u32): i32 {
  memory.fill(counts, 0, (CODE_BITS_MAX + 1) << 2);
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const count = slot(counts, load<u8>(lengths + symbol));
    store<u32>(count, load<u32>(count) + 1);
  }
  let missing: i32 = 1;
  let code: u32 = 0;
  for (let length: u32 = 1; length <= CODE_BITS_MAX; length++) {
    const count = load<u32>(slot(counts, length));
    missing = (missing << 1) - <i32>count;
    if (missing < 0) return missing;
    store<u32>(slot(nextCodes, length), code);
    code = (code + count) << 1;
  }
  return missing;
}

/** Returns the next code of a length, first bit lowest, as in the input. */
@inline
function takeCode(length: u32): u32 {
  const at = slot(nextCodes, length);
  const code = load<u32>(at);
  store<u32>(at, code + 1);
  let reversed = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555);
  reversed = ((reversed & 0x3333) << 2) | ((reversed >> 2) & 0x3333);
  reversed = ((reversed & 0x0f0f) << 4) | ((reversed >> 4) & 0x0f0f);
  reversed = ((reversed & 0x00ff) << 8) | (reversed >> 8);
  return reversed >> (16 - length);
}

@inline
function fill(table: usize, code: u32, length: u32, bits: u32, entry: u32): void {
  const step: u32 = 1 << length;
  for (let i = code; i < <u32>1 << bits; i += step) store<u32>(slot(table, i), entry);
}

@inline
function entryOf(kind: u32, symbol: u32, length: u32): u32 {
  if (kind == KIND_CODE_LENGTHS) return (symbol << 16) | length;
  const isLiterals = kind == KIND_LITERALS;
  if (isLiterals && symbol < END_OF_BLOCK) return LITERAL | (symbol << 8) | (1 << 6) | length;
  // Bits 8 to 13 let a subtable subtract its part.
  const bare = SPECIAL | (length << 8) | length;
  if (isLiterals && symbol == END_OF_BLOCK) return bare | END;
  if (symbol > (isLiterals ? LENGTH_SYMBOL_MAX : DISTANCE_SYMBOL_MAX)) return bare;
  const index = isLiterals ? symbol - END_OF_BLOCK - 1 : symbol;
  const base = <u32>load<u16>((isLiterals ? lengthBases : distanceBases) + (index << 1));
  const extra = isLiterals ? <u32>load<u8>(lengthExtraBits + index) : max(index >> 1, 1) - 1;
  return (base << 16) | (length << 8) | (length + extra);
}

/** Adds the next literal to entries of one literal if both codes fit the table's bits. */
function pairLiterals(): void {
  // Downwards: the entry for the following bits is lower and still has one literal.
  for (let i: i32 = (1 << LITERAL_BITS) - 1; i >= 0; i--) {
    const first = load<u32>(slot(literalTable, i));
    if (!(first & LITERAL)) continue;
    const second = load<u32>(slot(literalTable, i >> (first & 63)));
    const bits = (first & 63) + (second & 63);
    if (!(second & LITERAL) || bits > LITERAL_BITS) continue;
    const both = LITERAL | ((second & 0xff00) << 8) | (first & 0xff00) | (2 << 6) | bits;
    store<u32>(slot(literalTable, i), both);
  }
}
