// DEFLATE (RFC 1951), what is inside of gzip and zip, in pieces: the caller moves what is left of
// the input to the front and adds to it, and takes the output away but for the last 32 KiB, which
// matches may reach back to.
//
// A stream is a row of blocks. A block has a header (inflate-header.ts) and is either stored, so
// many bytes as they are, or symbols in bits: a literal, which is a byte; a match, which says how
// many bytes to repeat and from how far back; and the end. Each symbol has a code of 1 to 15 bits,
// the fewer the more often it comes. inflate-codes.ts makes tables of the codes, inflate-symbols.ts
// decodes with them. Bits are taken from the lowest of each byte on. Where a call ends, in the
// midst of a block, is all in `Stream` (inflate-state.ts).

import { ensureTables } from "./inflate-codes";
import { HEADER_BYTES_MAX, readHeader } from "./inflate-header";
import {
  DONE,
  GOING_ON,
  PHASE_HEADER,
  PHASE_STORED,
  Stream,
  TRUNCATED,
  WANTS_INPUT,
  WANTS_ROOM,
} from "./inflate-state";
import { decodeExactly, decodeFast, INPUT_MARGIN, OUTPUT_MARGIN } from "./inflate-symbols";

/**
 * Decodes until a status other than GOING_ON says why it stops. With damage, all output before it has
 * been written.
 */
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
