// The state of one DEFLATE stream between two calls, laid out by src/sources/inflater.ts, and the
// statuses of a call.

// Statuses of `inflate`. The same numbers as `inflateStatuses` there; from DAMAGE on they are
// indexes in its list of faults.
export const GOING_ON: i32 = -1;
/** All input except the last few bytes is decoded, and more input follows. */
export const WANTS_INPUT: i32 = 0;
/** The rest of the output is too small to decode into. */
export const WANTS_ROOM: i32 = 1;
/** The last block has ended; `input` is the first byte after it. */
export const DONE: i32 = 2;
/** The input ends before the last block does. */
export const TRUNCATED: i32 = 3;
const DAMAGE: i32 = 4;
export const INVALID_BLOCK_TYPE: i32 = DAMAGE;
export const INVALID_STORED_LENGTH: i32 = DAMAGE + 1;
export const TOO_MANY_SYMBOLS: i32 = DAMAGE + 2;
export const INVALID_CODE_LENGTHS: i32 = DAMAGE + 3;
export const INVALID_REPEAT: i32 = DAMAGE + 4;
export const NO_END_OF_BLOCK: i32 = DAMAGE + 5;
export const INVALID_LITERAL_CODES: i32 = DAMAGE + 6;
export const INVALID_DISTANCE_CODES: i32 = DAMAGE + 7;
export const UNKNOWN_LITERAL: i32 = DAMAGE + 8;
export const UNKNOWN_DISTANCE: i32 = DAMAGE + 9;
export const TOO_FAR_BACK: i32 = DAMAGE + 10;

// The next part of the input.
export const PHASE_HEADER: u32 = 0;
export const PHASE_SYMBOLS: u32 = 1;
export const PHASE_STORED: u32 = 2;

/** A block has at most 286 literals and lengths and 30 distances; the fixed codes have 288 and 32. */
export const CODE_LENGTHS_MAX: usize = 320;

@unmanaged
export class Stream {
  /** First byte not yet decoded, and the end of the available input. */
  input: usize;
  inputEnd: usize;
  /** Target of the next byte, and the end of the room. All bytes between may be overwritten. */
  output: usize;
  outputEnd: usize;
  /** The earliest byte before `output` that a match may refer to. */
  history: usize;
  /** 1 if there is no input after `inputEnd`. */
  inputIsLast: u32;
  /** Bits that are taken from the input but not decoded: fewer than 8 between calls, the rest 0. */
  bits: u64;
  bitCount: u32;
  phase: u32;
  /** 1 in the last block. */
  blockIsLast: u32;
  /** Remaining bytes of a stored block. */
  storedBytes: u32;
  /** The numbers of literal and distance code lengths after this record. */
  literals: u32;
  distances: u32;

  /** Code lengths of the current block, one byte each: literals first. */
  get lengths(): usize {
    return changetype<usize>(this) + offsetof<Stream>();
  }
}
