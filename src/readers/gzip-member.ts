import { crc32 } from "node:zlib";
import type { CompressedInput } from "./compressed-input.js";
import { ZlibFailure } from "./zlib-failure.js";

const MAGIC = 0x8b1f;
const METHOD_DEFLATE = 8;

/** Bits of a member's flags (RFC 1952, 2.3.1). */
const flags = { headerChecksum: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/**
 * Passes over the header of a gzip member. Throws `ZlibFailure` in the words of zlib, and looks in its
 * order: it knows that something is damaged before it knows that something is missing.
 */
export async function passMemberHeader(input: CompressedInput): Promise<void> {
  const header = new HeaderBytes(input);
  if ((await header.word()) !== MAGIC) throw new ZlibFailure("corrupt", "incorrect header check");
  const methodAndFlags = await header.word();
  if ((methodAndFlags & 0xff) !== METHOD_DEFLATE) {
    throw new ZlibFailure("corrupt", "unknown compression method");
  }
  const set = methodAndFlags >> 8;
  if ((set & flags.reserved) !== 0) throw new ZlibFailure("corrupt", "unknown header flags set");
  // Time, extra flags, operating system.
  await header.pass(6);
  if ((set & flags.extra) !== 0) await header.pass(await header.word());
  if ((set & flags.name) !== 0) await header.passText();
  if ((set & flags.comment) !== 0) await header.passText();
  if ((set & flags.headerChecksum) === 0) return;
  const expected = header.checksum & 0xffff;
  if ((await header.word()) !== expected) throw new ZlibFailure("corrupt", "header crc mismatch");
}

/** Holds the end of a member against its CRC-32 and the number of its bytes. */
export async function checkMemberEnd(
  input: CompressedInput,
  crc: number,
  bytes: number,
): Promise<void> {
  if ((await takeWord(input)) !== crc) throw new ZlibFailure("corrupt", "incorrect data check");
  if ((await takeWord(input)) !== bytes % 2 ** 32) {
    throw new ZlibFailure("corrupt", "incorrect length check");
  }
}

async function takeWord(input: CompressedInput): Promise<number> {
  await needBytes(input, 4);
  const [a = 0, b = 0, c = 0, d = 0] = input.take(4);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

async function needBytes(input: CompressedInput, count: number): Promise<void> {
  if (!(await input.has(count))) throw new ZlibFailure("truncated", "unexpected end of file");
}

/** The bytes of a header, of any length, with their checksum. */
class HeaderBytes {
  checksum = 0;

  constructor(private readonly input: CompressedInput) {}

  async word(): Promise<number> {
    await needBytes(this.input, 2);
    const [low = 0, high = 0] = this.#take(2);
    return low | (high << 8);
  }

  async pass(count: number): Promise<void> {
    for (let rest = count; rest > 0; ) {
      await needBytes(this.input, 1);
      rest -= this.#take(Math.min(rest, this.input.end - this.input.cursor)).length;
    }
  }

  /** A text that ends in a zero byte. */
  async passText(): Promise<void> {
    for (let last: number | undefined; last !== 0; ) {
      await needBytes(this.input, 1);
      last = this.#take(1)[0];
    }
  }

  #take(count: number): Uint8Array {
    const bytes = this.input.take(count);
    this.checksum = crc32(bytes, this.checksum);
    return bytes;
  }
}
