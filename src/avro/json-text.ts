import { KIB } from "../base/limits.js";

/** Bytes of a text that one step writes without a check of its own, at most. */
const STEP_BYTES = 1 * KIB;

const HEX = Buffer.from("0123456789abcdef");
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The letters of the short escapes, by control character. */
const ESCAPES: Readonly<Record<number, number>> = {
  8: 0x62,
  9: 0x74,
  10: 0x6e,
  12: 0x66,
  13: 0x72,
};
const UNICODE_ESCAPE = Buffer.from("\\u00");

/**
 * JSON texts, one row a line. A row beyond the limit is cut there, so that a hostile value cannot fill the
 * memory; the reader of the lines rejects it for its length.
 */
export class JsonText {
  #bytes = Buffer.allocUnsafe(64 * KIB);
  #end = 0;
  #rowStart = 0;
  /** True if the row is cut. */
  isCut = false;

  /** `rowBytesMax`: bytes of a row that are kept. */
  constructor(private readonly rowBytesMax: number) {}

  /** The rows so far, as a view that later rows overwrite. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#rowStart);
  }

  /** Bytes of the rows so far. */
  get size(): number {
    return this.#rowStart;
  }

  clear(): void {
    this.#end = 0;
    this.#rowStart = 0;
    this.isCut = false;
  }

  endRow(): void {
    this.#makeRoom(1);
    this.#bytes[this.#end++] = 0x0a;
    this.#rowStart = this.#end;
    this.isCut = false;
  }

  /** Drops what was written of a row. */
  dropRow(): void {
    this.#end = this.#rowStart;
    this.isCut = false;
  }

  writeByte(byte: number): void {
    if (this.#end === this.#bytes.length || this.isCut) this.#makeRoom(1);
    this.#bytes[this.#end++] = byte;
  }

  /** Writes short text of ASCII. */
  writeAscii(text: string): void {
    const { length } = text;
    this.#makeRoom(length);
    const bytes = this.#bytes;
    let end = this.#end;
    for (let index = 0; index < length; index++) bytes[end++] = text.charCodeAt(index);
    this.#end = end;
  }

  /** Writes JSON that is known, such as a name. */
  writeJson(json: Buffer): void {
    const { length } = json;
    this.#makeRoom(length);
    const bytes = this.#bytes;
    let end = this.#end;
    // Names are short: `set` takes longer than a loop.
    for (let index = 0; index < length; index++) bytes[end++] = json[index]!;
    this.#end = end;
  }

  /** Writes a string of UTF-8, which is not checked. */
  writeString(from: Buffer, start: number, end: number): void {
    this.writeByte(QUOTE);
    for (let p = start; p < end && !this.isCut; p += STEP_BYTES) {
      this.#makeRoom(6 * STEP_BYTES);
      this.#escape(from, p, Math.min(end, p + STEP_BYTES));
    }
    this.writeByte(QUOTE);
  }

  /** Writes a string of hexadecimal digits. */
  writeHex(from: Buffer, start: number, end: number): void {
    this.writeByte(QUOTE);
    for (let p = start; p < end && !this.isCut; p++) {
      const byte = from[p]!;
      this.#makeRoom(2);
      this.#bytes[this.#end++] = HEX[byte >> 4]!;
      this.#bytes[this.#end++] = HEX[byte & 15]!;
    }
    this.writeByte(QUOTE);
  }

  #escape(from: Buffer, start: number, stop: number): void {
    const bytes = this.#bytes;
    let end = this.#end;
    for (let p = start; p < stop; p++) {
      const byte = from[p]!;
      const letter = byte < 0x20 ? ESCAPES[byte] : byte === QUOTE || byte === BACKSLASH ? byte : 0;
      if (letter !== undefined && letter !== 0) {
        bytes[end++] = BACKSLASH;
        bytes[end++] = letter;
      } else if (byte < 0x20) {
        bytes.set(UNICODE_ESCAPE, end);
        bytes[end + 4] = HEX[byte >> 4]!;
        bytes[end + 5] = HEX[byte & 15]!;
        end += 6;
      } else {
        bytes[end++] = byte;
      }
    }
    this.#end = end;
  }

  #makeRoom(count: number): void {
    const rowEnd = this.#rowStart + this.rowBytesMax;
    if (this.#end > rowEnd) {
      this.#end = rowEnd;
      this.isCut = true;
    }
    if (this.#end + count <= this.#bytes.length) return;
    const wanted = Math.max(2 * this.#bytes.length, this.#end + count);
    const bytes = Buffer.allocUnsafe(wanted);
    this.#bytes.copy(bytes, 0, 0, this.#end);
    this.#bytes = bytes;
  }
}
