import type { CsvMarks, RecordWalk } from "./record-walk.js";

/** Kinds of bytes, as bits: one byte can be of several kinds. */
const DELIMITER = 1;
const LINE_END = 2;
const QUOTE = 4;
const ESCAPER = 8;
const OPENING_BRACE = 16;
const CLOSING_BRACE = 32;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** The states of `walkRecord` as numbers; only bytes with a kind leave those up to QUOTED. */
const UNQUOTED = 0;
const QUOTED = 1;
const CELL_START = 2;
const AFTER_QUOTE_IN_QUOTES = 3;
const AFTER_ESCAPE = 4;

/**
 * Walks records as `walkRecord` does and counts what shows whether the marks are right. With one table
 * look-up a byte and no lists of cells, 200 records of 690 bytes take 0.3 ms.
 */
export class RecordCounter {
  /** Cells of the last record, 0 if it is malformed or open. The members below are of it, too. */
  cells = 0;
  /** Cells that begin with a quote. */
  quotedCells = 0;
  /** Whether the braces of a cell do not balance: the cell is a piece of a JSON object. */
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

  /** Walks one record from its beginning. */
  walk(start: number): Pick<RecordWalk, "ending" | "next"> {
    const bytes = this.bytes;
    const kinds = this.#kinds;
    const length = bytes.length;
    this.cells = 0;
    this.quotedCells = 0;
    this.isTorn = false;
    let cellStart = start;
    let depth = 0;
    let now = CELL_START;
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
    this.#endCell(cellStart, depth);
    return { ending: "cut", next: length };
  }

  #endCell(start: number, depth: number): void {
    this.cells++;
    if (depth !== 0) this.isTorn = true;
    const isQuoted = start < this.bytes.length && (this.#kinds[this.bytes[start]!]! & QUOTE) !== 0;
    if (isQuoted) this.quotedCells++;
  }

  #fail(ending: "malformed" | "open", next: number): Pick<RecordWalk, "ending" | "next"> {
    this.cells = 0;
    return { ending, next };
  }

  #passLineEnd(p: number): number {
    const isPair = this.bytes[p] === CARRIAGE_RETURN && this.bytes[p + 1] === LINE_FEED;
    return p + (isPair ? 2 : 1);
  }

  /** A mark of more than one byte is ignored, as in `walkRecord`. */
  #mark(characters: string, kind: number): void {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      if (code < this.#kinds.length) this.#kinds[code]! |= kind;
    }
  }
}
