// The header of a DEFLATE block (RFC 1951, 3.2.3). Checks are in zlib's order, so that the same
// damage has the same name.

import {
  buildCodeLengths, buildDistances, buildLiterals, CODE_LENGTH_BITS, codeLengthTable, setFixedCodes,
} from "./inflate-codes";
import {
  GOING_ON, INVALID_BLOCK_TYPE, INVALID_CODE_LENGTHS, INVALID_DISTANCE_CODES, INVALID_LITERAL_CODES,
  INVALID_REPEAT, INVALID_STORED_LENGTH, NO_END_OF_BLOCK, PHASE_STORED, PHASE_SYMBOLS, Stream,
  TOO_MANY_SYMBOLS, TRUNCATED,
} from "./inflate-state";

/** Upper bound of a header: 17 bits, 19 lengths of 3 bits, and 316 of at most 14 bits. */
export const HEADER_BYTES_MAX: usize = 600;

const STORED: u32 = 0;
const FIXED: u32 = 1;
const DYNAMIC: u32 = 2;

const LITERALS_MAX: u32 = 286;
const DISTANCES_MAX: u32 = 30;

/** Symbols of the code lengths' own code: 16 repeats the last length, 17 and 18 repeat zero. */
const CODE_LENGTH_SYMBOLS: u32 = 19;
const codeLengthOrder = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);
const ownLengths = memory.data(CODE_LENGTH_SYMBOLS);

let input: usize = 0;
let inputEnd: usize = 0;
let bits: u32 = 0;
let bitCount: u32 = 0;
/** Set if more bits were taken than there are. */
let isShort: bool = false;

/** Reads the header at `stream.input`. All of it must be there, or the input's last bytes. */
export function readHeader(stream: Stream): i32 {
  input = stream.input;
  inputEnd = stream.inputEnd;
  bits = <u32>stream.bits;
  bitCount = stream.bitCount;
  isShort = false;
  stream.blockIsLast = take(1);
  const status = readBlockType(stream, take(2));
  input -= bitCount >> 3;
  bitCount &= 7;
  stream.input = input;
  stream.bits = <u64>(bits & ((1 << bitCount) - 1));
  stream.bitCount = bitCount;
  return status;
}

function readBlockType(stream: Stream, type: u32): i32 {
  if (isShort) return TRUNCATED;
  if (type == STORED) return readStoredLength(stream);
  if (type != FIXED && type != DYNAMIC) return INVALID_BLOCK_TYPE;
  if (type == FIXED) {
    setFixedCodes(stream);
  } else {
    const status = readCodeLengths(stream);
    if (status != GOING_ON) return status;
  }
  if (!buildLiterals(stream)) return INVALID_LITERAL_CODES;
  if (!buildDistances(stream)) return INVALID_DISTANCE_CODES;
  stream.phase = PHASE_SYMBOLS;
  return GOING_ON;
}

function readStoredLength(stream: Stream): i32 {
  take(bitCount & 7);
  const length = take(16);
  const complement = take(16);
  if (isShort) return TRUNCATED;
  if ((length ^ complement) != 0xffff) return INVALID_STORED_LENGTH;
  stream.storedBytes = length;
  stream.phase = PHASE_STORED;
  return GOING_ON;
}

function readCodeLengths(stream: Stream): i32 {
  const literals = take(5) + 257;
  const distances = take(5) + 1;
  const ownCount = take(4) + 4;
  if (isShort) return TRUNCATED;
  if (literals > LITERALS_MAX || distances > DISTANCES_MAX) return TOO_MANY_SYMBOLS;
  memory.fill(ownLengths, 0, CODE_LENGTH_SYMBOLS);
  for (let i: u32 = 0; i < ownCount; i++) {
    store<u8>(ownLengths + load<u8>(codeLengthOrder + i), <u8>take(3));
  }
  if (isShort) return TRUNCATED;
  if (!buildCodeLengths(ownLengths, CODE_LENGTH_SYMBOLS)) return INVALID_CODE_LENGTHS;
  stream.literals = literals;
  stream.distances = distances;
  const lengths = stream.lengths;
  const status = decodeLengths(lengths, literals + distances);
  if (status != GOING_ON) return status;
  return load<u8>(lengths, 256) == 0 ? NO_END_OF_BLOCK : GOING_ON;
}

function decodeLengths(lengths: usize, count: u32): i32 {
  let i: u32 = 0;
  while (i < count) {
    need(CODE_LENGTH_BITS);
    const entry = load<u32>(codeLengthTable + ((bits & ((1 << CODE_LENGTH_BITS) - 1)) << 2));
    take(entry & 15);
    const symbol = entry >> 16;
    if (symbol < 16) {
      if (isShort) return TRUNCATED;
      store<u8>(lengths + i++, <u8>symbol);
      continue;
    }
    const repeats = symbol == 16 ? 3 + take(2) : symbol == 17 ? 3 + take(3) : 11 + take(7);
    if (isShort) return TRUNCATED;
    if ((symbol == 16 && i == 0) || i + repeats > count) return INVALID_REPEAT;
    memory.fill(lengths + i, symbol == 16 ? load<u8>(lengths + i - 1) : 0, repeats);
    i += repeats;
  }
  return GOING_ON;
}

@inline
function need(count: u32): void {
  while (bitCount < count && input < inputEnd) {
    bits |= <u32>load<u8>(input++) << bitCount;
    bitCount += 8;
  }
}

/** Takes the next `count` bits (at most 16); zeros after the end of the input. */
function take(count: u32): u32 {
  need(count);
  if (bitCount < count) {
    isShort = true;
    return 0;
  }
  const value = bits & ((1 << count) - 1);
  bits >>= count;
  bitCount -= count;
  return value;
}
