import type { CsvDialect } from "../source.js";

/** The characters that structure CSV, without names and encoding. */
export type CsvMarks = Pick<CsvDialect, "delimiter" | "quote" | "escape">;

/** Kinds of bytes, as bits: one byte can be of several kinds. */
const DELIMITER = 1;
const LINE_END = 2;
const QUOTE = 4;
const ESCAPER = 8;
const OPENING_BRACE = 16;
const CLOSING_BRACE = 32;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

// The states of a position within a record. Only bytes with a kind leave those up to QUOTED.
const UNQUOTED = 0;
const QUOTED = 1;
const CELL_START = 2;
const AFTER_QUOTE_IN_QUOTES = 3;
const AFTER_ESCAPE = 4;

/** Returns all states that a position within a record can have. */
export function possibleStates(marks: CsvMarks): readonly number[] {
  if (marks.quote === "") return [UNQUOTED];
  const states = [UNQUOTED, QUOTED, CELL_START, AFTER_QUOTE_IN_QUOTES];
  return marks.escape === undefined ? states : [...states, AFTER_ESCAPE];
}

export interface RecordWalk {
  /**
   * `line`: the record ended with a line end. `cut`: the bytes ended first, outside quotes. `open`:
   * the bytes ended inside quotes. `malformed`: text followed a closing quote.
   */
  readonly ending: "line" | "cut" | "open" | "malformed";
  /** After the line end, or where the walk stopped. */
  readonly next: number;
}

/**
 * Walks records by the rules of the kernel that reads rows, and counts cells that show whether the
 * marks are right. It is for heads and possible cuts, not for whole sources. With one table look-up
 * per byte, 200 records of 690 bytes take 0.3 ms.
 */
export class RecordWalker {
  /** Cells of the last record; 0 if it is malformed or open. */
  cells = 0;
  /** Cells of the last record that begin with a quote. */
  quotedCells = 0;
  /** The braces of a cell do not balance, so it is a piece of a JSON object. */
  isTorn = false;
  readonly #kinds = new Uint8Array(256);
  readonly #hasEscaper: boolean;

  constructor(
    private readonly bytes: Uint8Array,
    marks: CsvMarks,
  ) {
    this.#mark(marks.delimiter, DELIMITER);
    this.#mark("\r\n", LINE_END);
    this.#mark(marks.quote, QUOTE);
    this.#mark(marks.escape ?? "", ESCAPER);
    this.#mark("{", OPENING_BRACE);
    this.#mark("}", CLOSING_BRACE);
    this.#hasEscaper = marks.escape !== undefined;
  }

  /**
   * Walks from `start`, in `state`, to the end of the record. `bounds` receives the start and the
   * end of each cell, quotes included; it has no meaning if the record is malformed or open.
   */
  walk(start: number, state: number = CELL_START, bounds?: number[]): RecordWalk {
    const bytes = this.bytes;
    const kinds = this.#kinds;
    const length = bytes.length;
    this.cells = 0;
    this.quotedCells = 0;
    this.isTorn = false;
    let cellStart = start;
    let depth = 0;
    let now = state;
    for (let p = start; p < length; p++) {
      let kind = kinds[bytes[p]!]!;
      // Most bytes have no kind and change nothing inside a cell.
      if (now <= QUOTED) {
        while (kind === 0 && ++p < length) kind = kinds[bytes[p]!]!;
        if (p === length) break;
      }
      if (now === QUOTED) {
        if ((kind & ESCAPER) !== 0) now = AFTER_ESCAPE;
        else if ((kind & QUOTE) !== 0) now = AFTER_QUOTE_IN_QUOTES;
      } else if (now === AFTER_ESCAPE) {
        now = QUOTED;
      } else if ((kind & (DELIMITER | LINE_END)) !== 0) {
        bounds?.push(cellStart, p);
        this.#endCell(cellStart, depth);
        if ((kind & DELIMITER) === 0) return { ending: "line", next: this.#passLineEnd(p) };
        cellStart = p + 1;
        depth = 0;
        now = CELL_START;
        continue;
      } else if (now === CELL_START) {
        now = (kind & QUOTE) !== 0 ? QUOTED : UNQUOTED;
      } else if (now === AFTER_QUOTE_IN_QUOTES) {
        if ((kind & QUOTE) === 0 || this.#hasEscaper) return this.#fail("malformed", p);
        now = QUOTED;
      }
      if (kind >= OPENING_BRACE) depth += (kind & OPENING_BRACE) !== 0 ? 1 : -1;
    }
    if (now === QUOTED || now === AFTER_ESCAPE) return this.#fail("open", length);
    bounds?.push(cellStart, length);
    this.#endCell(cellStart, depth);
    return { ending: "cut", next: length };
  }

  #endCell(start: number, depth: number): void {
    this.cells++;
    if (depth !== 0) this.isTorn = true;
    const isQuoted = start < this.bytes.length && (this.#kinds[this.bytes[start]!]! & QUOTE) !== 0;
    if (isQuoted) this.quotedCells++;
  }

  #fail(ending: "malformed" | "open", next: number): RecordWalk {
    this.cells = 0;
    return { ending, next };
  }

  #passLineEnd(p: number): number {
    const isPair = this.bytes[p] === CARRIAGE_RETURN && this.bytes[p + 1] === LINE_FEED;
    return p + (isPair ? 2 : 1);
  }

  /** Ignores marks of more than one byte. */
  #mark(characters: string, kind: number): void {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      if (code < this.#kinds.length) this.#kinds[code]! |= kind;
    }
  }
}

/** Skips line ends: blank lines are not records. */
export function skipLineEnds(bytes: Uint8Array, start: number): number {
  let p = start;
  while (p < bytes.length && (bytes[p] === LINE_FEED || bytes[p] === CARRIAGE_RETURN)) p++;
  return p;
}

/** Returns the end of the line around `start`, including its line ends. */
export function skipLine(bytes: Uint8Array, start: number): number {
  let p = start;
  while (p < bytes.length && bytes[p] !== LINE_FEED && bytes[p] !== CARRIAGE_RETURN) p++;
  return skipLineEnds(bytes, p);
}
