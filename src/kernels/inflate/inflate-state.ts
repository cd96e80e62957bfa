// Where decoding of one DEFLATE stream stands between two calls, as src/readers/inflater.ts lays it
// out, and how a call may end.

// How `inflate` came to its end. The same numbers as `inflateStatuses` there; those from DAMAGE on are
// places in its list of what can be wrong.
export const GOING_ON: i32 = -1;
/** All but the last few bytes of input are decoded, and more of it is to come. */
export const WANTS_INPUT: i32 = 0;
/** What is left of the output is too little to decode into. */
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

// What comes next in the input.
export const PHASE_HEADER: u32 = 0;
export const PHASE_SYMBOLS: u32 = 1;
export const PHASE_STORED: u32 = 2;

/** A block has at most 286 literals and lengths and 30 distances; the fixed codes have 288 and 32. */
export const CODE_LENGTHS_MAX: usize = 320;

@unmanaged
export class Stream {
  /** First byte that is not decoded, and the end of what is there. */
  input: usize;
  inputEnd: usize;
  /** Where the next byte goes, and the end of the room. Bytes up to there may be written at any time. */
  output: usize;
  outputEnd: usize;
  /** The earliest byte before `output` that a match may reach back to. */
  history: usize;
  /** 1 when nothing comes after `inputEnd`. */
  inputIsLast: u32;
  /** Bits that are taken from the input but not decoded: fewer than 8 between calls, the rest 0. */
  bits: u64;
  bitCount: u32;
  phase: u32;
  /** 1 in the last block. */
  blockIsLast: u32;
  /** Bytes of a stored block that are to come. */
  storedBytes: u32;
  /** How many of the code lengths after this record are of literals, and how many of distances. */
  literals: u32;
  distances: u32;

  /** Code lengths of the present block, one byte each: literals first. */
  get lengths(): usize {
    return changetype<usize>(this) + offsetof<Stream>();
  }
}
