import type { ByteSource } from "../../sources/byte-source.js";
import type { KeyedRows } from "../../sources/source.js";
import { corrupt, truncated } from "../../sources/source-errors.js";
import { RewrittenBytes } from "../../sources/wrapped-bytes.js";
import { checkWrapperEnd } from "./find-wrapper.js";

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

const CHUNK_BYTES = 64 * 1024;

/** Bytes of a key, at most. */
const KEY_BYTES_MAX = 8 * 1024;

/** Bytes of what may follow the rows. */
const REST_BYTES_MAX = 4 * 1024;

/** The member that receives the key of a row. */
const KEY_MEMBER = Buffer.from('{"$key":');

/** Expected next; `first` is in a row, `between` after an object of rows, `rest` after the only one. */
type State = "member" | "key" | "colon" | "value" | "first" | "inside" | "between" | "rest";

/**
 * Rewrites an object whose members are the rows: `{"k1": {"a": 1}, …}` becomes one row a line,
 * `{"$key":"k1","a": 1}`. A `$key` of the row itself comes later, so it is the one that counts. Values
 * that are not objects stay as they are, for the reader to reject. Such objects may follow each other.
 */
export class KeyedBytes extends RewrittenBytes {
  readonly #name: string;
  readonly #isMember: boolean;
  readonly #input = new Uint8Array(CHUNK_BYTES);
  /** Each byte of input gives one byte, or the text of a key that was read before. */
  readonly #output = new Uint8Array(2 * CHUNK_BYTES + 2 * KEY_BYTES_MAX);
  #outputEnd = 0;
  #position = 0;
  #skip: number;
  #state: State = "member";
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #key: number[] = [];
  #rest: number[] = [];
  #ended = false;
  #failure: unknown;

  /** `name`: of the source. */
  constructor(bytes: ByteSource, { start, isMember }: KeyedRows, name: string) {
    super(bytes);
    this.#skip = start;
    this.#isMember = isMember;
    this.#name = name;
  }

  /** Keeps an error until what precedes it was read. */
  protected async make(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#ended) return undefined;
    const read = await this.bytes.read(this.#input);
    this.#outputEnd = 0;
    this.#ended = read === 0;
    const skipped = Math.min(this.#skip, read);
    this.#skip -= skipped;
    this.#position += skipped;
    try {
      for (let p = skipped; p < read; p++) {
        const byte = this.#input[p]!;
        if (this.#state === "inside") this.#takeInside(byte);
        else if (this.#state === "key") this.#takeKey(byte);
        else if (this.#state === "rest") this.#takeRest(byte);
        else if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) this.#takeMark(byte, this.#state);
        this.#position++;
      }
      if (this.#ended) this.#checkEnd();
    } catch (error) {
      this.#failure = error;
    }
    return this.#output.subarray(0, this.#outputEnd);
  }

  #takeMark(byte: number, state: "member" | "colon" | "value" | "first" | "between"): void {
    if (state === "between") {
      if (byte !== OPENING_BRACE) this.#fail();
      this.#state = "member";
    } else if (state === "member") {
      if (byte === COMMA) return;
      if (byte !== QUOTE && byte !== CLOSING_BRACE) this.#fail();
      this.#key = [QUOTE];
      this.#state = byte === QUOTE ? "key" : this.#isMember ? "rest" : "between";
    } else if (state === "colon") {
      if (byte !== COLON) this.#fail();
      this.#state = "value";
    } else if (state === "value") {
      this.#beginValue(byte);
    } else {
      if (byte !== CLOSING_BRACE) this.#emit(COMMA);
      this.#state = "inside";
      this.#takeInside(byte);
    }
  }

  #beginValue(byte: number): void {
    if (byte === CLOSING_BRACE || byte === COMMA) this.#fail();
    this.#depth = 0;
    this.#state = "inside";
    if (byte !== OPENING_BRACE) {
      this.#takeInside(byte);
      return;
    }
    this.#depth = 1;
    this.#state = "first";
    for (const one of KEY_MEMBER) this.#emit(one);
    for (const one of this.#key) this.#emit(one);
  }

  #takeKey(byte: number): void {
    if (this.#key.push(byte) > KEY_BYTES_MAX) this.#fail();
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#state = "colon";
  }

  #takeInside(byte: number): void {
    const isEnd = byte === CLOSING_BRACE || byte === CLOSING_BRACKET;
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (this.#depth === 0 && (byte === COMMA || isEnd)) {
      this.#endRow();
      this.#takeMark(byte, "member");
      return;
    } else if (byte === QUOTE) {
      this.#inString = true;
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      this.#depth++;
    } else if (isEnd && --this.#depth === 0) {
      this.#emit(byte);
      this.#endRow();
      return;
    }
    this.#emit(byte);
  }

  #takeRest(byte: number): void {
    if (this.#rest.push(byte) > REST_BYTES_MAX) this.#checkRest(false);
  }

  #endRow(): void {
    this.#emit(LINE_FEED);
    this.#state = "member";
  }

  #emit(byte: number): void {
    this.#output[this.#outputEnd++] = byte;
  }

  #checkEnd(): void {
    if (this.#state === "rest") this.#checkRest(true);
    else if (this.#state !== "between") {
      throw truncated(this.#name, "the object around the rows", { byte: this.#position });
    }
  }

  #checkRest(isWhole: boolean): void {
    const position = { source: this.#name, byte: this.#position };
    checkWrapperEnd(Buffer.from(this.#rest).toString(), isWhole, position);
  }

  #fail(): never {
    const what = "the object around the rows is not valid JSON";
    throw corrupt(this.#name, what, { byte: this.#position });
  }
}
