// Decodes DEFLATE (RFC 1951), the content of gzip and zip, in pieces. The caller moves the
// remaining input to the front and adds to it. It takes the output away except for the last 32 KiB,
// which matches may refer to.
//
// A stream is a sequence of blocks. A block has a header (inflate-header.ts). It is stored as plain
// bytes or consists of symbols in bits: a literal is a byte, a match repeats a number of bytes from
// a distance back, and one symbol is the end. Each symbol has a code of 1 to 15 bits; frequent ones
// have shorter codes. inflate-codes.ts makes tables of the codes, and inflate-symbols.ts decodes
// with them. Bits are taken from the lowest of each byte on. `Stream` (inflate-state.ts) keeps the
// state between calls, also within a block.

import { ensureTables } from "./inflate-codes";
import { HEADER_BYTES_MAX, readHeader } from "./inflate-header";
import {
  DONE, GOING_ON, PHASE_HEADER, PHASE_STORED, Stream, TRUNCATED, WANTS_INPUT, WANTS_ROOM,
} from "./inflate-state";
import { decodeExactly, decodeFast, INPUT_MARGIN, OUTPUT_MARGIN } from "./inflate-symbols";

/** Decodes until a status other than GOING_ON. With damage, all output before it is written. */
export function inflate(stream: Stream): i32 {
  let status = GOING_ON;
  while (status == GOING_ON) {
    if (stream.phase == PHASE_HEADER) {
      const isWhole = stream.inputIsLast || stream.inputEnd - stream.input >= HEADER_BYTES_MAX;
      status = isWhole ? readHeader(stream) : WANTS_INPUT;
    } else {
      status = stream.phase == PHASE_STORED ? copyStored(stream) : decodeSymbols(stream);
      if (status == DONE && !stream.blockIsLast) {
        stream.phase = PHASE_HEADER;
        status = GOING_ON;
      }
    }
  }
  return status;
}

function decodeSymbols(stream: Stream): i32 {
  if (stream.outputEnd - stream.output < OUTPUT_MARGIN) return WANTS_ROOM;
  ensureTables(stream);
  if (stream.inputEnd - stream.input >= INPUT_MARGIN) return decodeFast(stream);
  return stream.inputIsLast ? decodeExactly(stream) : WANTS_INPUT;
}

function copyStored(stream: Stream): i32 {
  const available = stream.inputEnd - stream.input;
  const length = min(min(<usize>stream.storedBytes, available), stream.outputEnd - stream.output);
  memory.copy(stream.output, stream.input, length);
  stream.output += length;
  stream.input += length;
  stream.storedBytes -= <u32>length;
  if (stream.storedBytes == 0) return DONE;
  if (length < available) return WANTS_ROOM;
  return stream.inputIsLast ? TRUNCATED : WANTS_INPUT;
}
