import { crc32 } from "node:zlib";
import { DecodeFailure } from "./inflater.js";

/** The first two bytes of a gzip member, little-endian. */
export const GZIP_MAGIC = 0x8b1f;
/** Bytes of a member's header without its optional parts. */
export const GZIP_HEADER_BYTES = 10;

const METHOD_DEFLATE = 8;

/** Bits of a member's flags (RFC 1952, 2.3.1). */
const flags = { headerChecksum: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/** Yields how many bytes it needs next, at most 65,535, and continues with exactly those. */
type Demands<Result> = Generator<number, Result, Uint8Array>;

/**
 * Passes the header of a gzip member, wherever its bytes come from. Throws `DecodeFailure` for damage as
 * soon as zlib would; the caller ends it at missing bytes. Views that it gets are read at once.
 */
export function* passGzipHeader(): Demands<void> {
  const header = new GzipBytes();
  if ((yield* header.uint16()) !== GZIP_MAGIC) {
    throw new DecodeFailure("corrupt", "incorrect header check");
  }
  const methodAndFlags = yield* header.uint16();
  if ((methodAndFlags & 0xff) !== METHOD_DEFLATE) {
    throw new DecodeFailure("corrupt", "unknown compression method");
  }
  const set = methodAndFlags >> 8;
  if ((set & flags.reserved) !== 0) {
    throw new DecodeFailure("corrupt", "unknown header flags set");
  }
  // Time, extra flags, operating system.
  yield* header.take(6);
  if ((set & flags.extra) !== 0) yield* header.take(yield* header.uint16());
  if ((set & flags.name) !== 0) yield* header.passText();
  if ((set & flags.comment) !== 0) yield* header.passText();
  if ((set & flags.headerChecksum) === 0) return;
  const expected = header.checksum & 0xffff;
  if ((yield* header.uint16()) !== expected) {
    throw new DecodeFailure("corrupt", "header crc mismatch");
  }
}

/** The bytes of a header with their checksum. */
class GzipBytes {
  checksum = 0;

  *take(count: number): Demands<Uint8Array> {
    const bytes = yield count;
    this.checksum = crc32(bytes, this.checksum);
    return bytes;
  }

  *uint16(): Demands<number> {
    const [low = 0, high = 0] = yield* this.take(2);
    return low | (high << 8);
  }

  /** Passes a text of any length, which ends in a zero byte. */
  *passText(): Demands<void> {
    while ((yield* this.take(1))[0] !== 0);
  }
}
