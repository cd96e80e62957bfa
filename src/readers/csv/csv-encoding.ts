import { isUtf8 } from "node:buffer";
import { option } from "../../base/option-text.js";
import type { ByteSource } from "../../sources/byte-source.js";
import { type CsvDialect, MIXED_ENCODING } from "../../sources/source.js";
import { RewrittenBytes } from "../../sources/wrapped-bytes.js";

/** Bytes of a head that decide the encoding. More do not change the result. */
export const ENCODING_PROBE_BYTES = 4_096;

/** Smallest share of zeros among every second byte of UTF-16. */
const ZEROS_SHARE_MIN = 0.4;
const OTHER_ZEROS_SHARE_MAX = 0.05;

/** Detects the encoding by its byte order mark, else by the zero bytes of Latin text in UTF-16. */
export function detectEncoding(head: Uint8Array): CsvDialect["encoding"] {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const length = Math.min(head.length, ENCODING_PROBE_BYTES) & ~1;
  let even = 0;
  let odd = 0;
  for (let p = 0; p < length; p += 2) {
    if (head[p] === 0) even++;
    if (head[p + 1] === 0) odd++;
  }
  const enough = (length / 2) * ZEROS_SHARE_MIN;
  const few = (length / 2) * OTHER_ZEROS_SHARE_MAX;
  if (odd > 0 && odd >= enough && even <= few) return "utf-16le";
  if (even > 0 && even >= enough && odd <= few) return "utf-16be";
  return "utf-8";
}

/** The characters of windows-1252 from 0x80 to 0x9f; its others are those of Latin-1. */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Recodes windows-1252, which has a character for each byte, to UTF-8. */
export function fromWindows1252(bytes: Uint8Array): Buffer {
  // TextDecoder of some versions of Node reads windows-1252 as Latin-1 unless it streams.
  const text = Buffer.from(bytes).toString("latin1");
  return Buffer.from(
    text.replace(/[\x80-\x9f]/g, (one) => WINDOWS_1252[one.charCodeAt(0) - 0x80]!),
  );
}

/** Recodes the lines of a head that are not UTF-8; the last one can be cut. */
function linesToUtf8(head: Uint8Array): Uint8Array {
  if (isUtf8(head)) return head;
  const lines: Uint8Array[] = [];
  for (let start = 0; start < head.length; ) {
    const end = head.indexOf(0x0a, start) + 1 || head.length;
    const line = head.subarray(start, end);
    lines.push(isUtf8(line) || end === head.length ? line : fromWindows1252(line));
    start = end;
  }
  return Buffer.concat(lines);
}

/** Recodes the head to UTF-8; a byte order mark stays, and a character that the end cuts is left out. */
export function toUtf8(head: Uint8Array, encoding: CsvDialect["encoding"]): Uint8Array {
  if (encoding === "utf-8") return head;
  if (encoding === MIXED_ENCODING) return linesToUtf8(head);
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return Buffer.from(decoder.decode(head, { stream: true }));
}

/** Bytes that are not UTF-8 from which a head is of another encoding; fewer are damage. */
const OTHER_BYTES_MIN = 20;

/** Advice for text that is not UTF-8. */
export const ENCODING_ADVICE = `pass ${option("csvDialect")} encoding= with its encoding, such as windows-1252 (Western Europe), windows-1251 (Cyrillic) or shift_jis (Japanese), or mixed if only some rows are windows-1252`;

/** Returns whether a head has more bytes that are not UTF-8 than other characters beyond ASCII. */
export function isOtherEncoding(head: Uint8Array): boolean {
  if (isUtf8(head)) return false;
  const text = new TextDecoder().decode(head, { stream: true });
  const beyond = text.match(/[^\0-\x7f]/gu) ?? [];
  const invalid = beyond.filter((character) => character === "\ufffd").length;
  return invalid >= OTHER_BYTES_MIN && invalid * 2 > beyond.length;
}

/** Recodes a source to UTF-8; one of mixed rows is recoded row by row. */
export function recode(bytes: ByteSource, encoding: CsvDialect["encoding"]): ByteSource {
  if (encoding === "utf-8" || encoding === MIXED_ENCODING) return bytes;
  const isUtf16 = encoding === "utf-16le" || encoding === "utf-16be";
  return isUtf16 ? new Utf16Source(bytes, encoding) : new DecodedSource(bytes, encoding);
}

/** TextDecoder puts it where bytes are not of the encoding. */
const REPLACEMENT = Buffer.from("\ufffd");

/** Replaces such bytes; never part of UTF-8, so that their row is rejected instead of changed. */
const INVALID = Buffer.from([0xff]);

/** Recodes what TextDecoder knows to UTF-8. */
class DecodedSource extends RewrittenBytes {
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #input = new Uint8Array(CHUNK_BYTES);
  #ended = false;

  constructor(bytes: ByteSource, encoding: string) {
    super(bytes);
    this.#decoder = new TextDecoder(encoding, { ignoreBOM: true });
  }

  protected async make(): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined;
    const read = await this.bytes.read(this.#input);
    this.#ended = read === 0;
    const text = this.#decoder.decode(this.#input.subarray(0, read), { stream: !this.#ended });
    return withInvalid(Buffer.from(text));
  }
}

function withInvalid(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  for (let p = bytes.indexOf(REPLACEMENT); p >= 0; p = bytes.indexOf(REPLACEMENT, start)) {
    parts.push(bytes.subarray(start, p), INVALID);
    start = p + REPLACEMENT.length;
  }
  return start === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(start)]);
}

const CHUNK_BYTES = 64 * 1024;

/** UTF-8 bytes of one UTF-16 unit, at most. */
const UNIT_BYTES_MAX = 3;

/** Replaces half a unit at the end of a source; never part of UTF-8. */
const HALF_UNIT = 0xff;

/**
 * Recodes UTF-16 to UTF-8. A lone surrogate and half a unit at the end become invalid UTF-8, so
 * that their row is rejected instead of changed.
 */
export class Utf16Source extends RewrittenBytes {
  /** Index of the low byte of a unit. */
  readonly #low: 0 | 1;
  readonly #input = new Uint8Array(CHUNK_BYTES);
  /** Bytes of `#input` that are not recoded yet: [start, end). */
  #start = 0;
  #end = 0;
  #ended = false;
  readonly #output = new Uint8Array((CHUNK_BYTES / 2) * UNIT_BYTES_MAX + UNIT_BYTES_MAX);

  constructor(bytes: ByteSource, encoding: "utf-16le" | "utf-16be") {
    super(bytes);
    this.#low = encoding === "utf-16be" ? 1 : 0;
  }

  protected async make(): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined;
    await this.#refill();
    return this.#recode();
  }

  async #refill(): Promise<void> {
    this.#input.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    const read = await this.bytes.read(this.#input.subarray(this.#end));
    this.#end += read;
    this.#ended = read === 0;
  }

  /** Recodes whole characters: the first half of a pair waits for the second. */
  #recode(): Uint8Array {
    const output = this.#output;
    let p = this.#start;
    let t = 0;
    while (p + 2 <= this.#end) {
      let code = this.#unit(p);
      if (code >= 0xd800 && code < 0xdc00) {
        if (p + 4 > this.#end && !this.#ended) break;
        const low = p + 4 <= this.#end ? this.#unit(p + 2) : 0;
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          p += 2;
        }
      }
      p += 2;
      if (code < 0x80) {
        output[t++] = code;
      } else if (code < 0x800) {
        output[t++] = 0xc0 | (code >> 6);
        output[t++] = 0x80 | (code & 0x3f);
      } else if (code < 0x10000) {
        output[t++] = 0xe0 | (code >> 12);
        output[t++] = 0x80 | ((code >> 6) & 0x3f);
        output[t++] = 0x80 | (code & 0x3f);
      } else {
        output[t++] = 0xf0 | (code >> 18);
        output[t++] = 0x80 | ((code >> 12) & 0x3f);
        output[t++] = 0x80 | ((code >> 6) & 0x3f);
        output[t++] = 0x80 | (code & 0x3f);
      }
    }
    if (this.#ended && p < this.#end) {
      output[t++] = HALF_UNIT;
      p = this.#end;
    }
    this.#start = p;
    return output.subarray(0, t);
  }

  #unit(p: number): number {
    return this.#input[p + this.#low]! | (this.#input[p + 1 - this.#low]! << 8);
  }
}
