import type { GivenDialect } from "../../sources/source.js";
import { unescapeText } from "./backslashes.js";
import { type CsvMarks, RecordWalker, skipLine, skipToRecord } from "./record-walk.js";

/** Facts about a source other than its head. */
export interface CsvHints {
  /** The file's name: `.tsv` and `.tab` prefer tabs, `.csv` may have a single column. */
  readonly name?: string;
  /** The user says that the source is CSV. */
  readonly given?: boolean;
  /** The head is the whole source, so its last record is not cut off. */
  readonly complete?: boolean;
}

const BACKSLASH = 0x5c;

/** Records of the head that a dialect is tried on. */
export const TRIAL_RECORDS = 200;

/** Records that show how many cells are usual. */
const MAJORITY_RECORDS = 12;

/** The result of reading a head with some marks. */
export interface Trial {
  readonly marks: CsvMarks;
  readonly records: number;
  /** Cells of the first record, 0 if it is malformed; or the number of given names. */
  readonly cells: number;
  /** The share of records that are malformed or ragged. */
  readonly badShare: number;
  readonly quotedCells: number;
  /** Cells of good records that begin with a space, but for the first. */
  readonly spacedCells: number;
}

/** Marks that a head may have; results that take time are computed on demand. */
export class Candidate {
  /** `cells` of a trial of the first record alone. */
  readonly cells: number;
  #trial: Trial | undefined;

  constructor(
    private readonly bytes: Uint8Array,
    readonly marks: CsvMarks,
    private readonly hints: CsvHints,
    private readonly given: GivenDialect,
  ) {
    this.cells = tryMarks(bytes, marks, hints, given, 1).cells;
  }

  get trial(): Trial {
    const { bytes, marks, hints, given } = this;
    this.#trial ??= tryMarks(bytes, marks, hints, given, TRIAL_RECORDS);
    return this.#trial;
  }
}

/** Reads the head with some marks. A good record has as many cells as given, else as the first. */
export function tryMarks(
  bytes: Uint8Array,
  marks: CsvMarks,
  hints: CsvHints,
  given: GivenDialect,
  recordsMax: number,
  cells?: number,
): Trial {
  const walker = new RecordWalker(bytes, marks);
  let expected = given.columns?.length ?? cells;
  let records = 0;
  let bad = 0;
  let quotedCells = 0;
  let spacedCells = 0;
  let p = findFirstRecord(bytes, marks);
  while (p < bytes.length && records < recordsMax) {
    const { ending, next } = walker.walk(p);
    // A record that the end of the head cuts does not count, unless it is the only one.
    const isCut = ending === "cut" || ending === "open";
    if (isCut && hints.complete !== true && records > 0) break;
    expected ??= walker.cells;
    const isMalformed = ending === "malformed" || ending === "open";
    if (isMalformed || walker.cells !== expected || walker.isTorn) bad++;
    else {
      quotedCells += walker.quotedCells;
      spacedCells += walker.spacedCells;
    }
    records++;
    p = isMalformed ? skipLine(bytes, p, marks) : skipToRecord(bytes, next, marks);
  }
  return {
    marks,
    records,
    cells: expected ?? 0,
    badShare: bad / Math.max(1, records),
    quotedCells,
    spacedCells,
  };
}

/** Returns the cells that most of the first records have, or 0. */
export function usualCells(bytes: Uint8Array, marks: CsvMarks): number {
  const counts = [...recordsOf(bytes, { marks, records: MAJORITY_RECORDS })].map(
    ({ length }) => length,
  );
  const isUsual = (cells: number) =>
    counts.filter((count) => count === cells).length * 2 > counts.length;
  return counts.find(isUsual) ?? 0;
}

/** Cells of one record of a trial, as texts. A malformed record has none. */
export class TrialCells {
  /** `bounds`: start and end of each cell, quotes included. */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly bounds: readonly number[],
    private readonly marks: CsvMarks,
  ) {}

  get length(): number {
    return this.bounds.length / 2;
  }

  /** Returns the cells that contain a byte, as they are in the file. */
  rawWith(byte: number): readonly string[] {
    return Array.from({ length: this.length }, (_, index) =>
      this.bytes.subarray(this.bounds[index * 2], this.bounds[index * 2 + 1]),
    )
      .filter((cell) => cell.includes(byte))
      .map((cell) => decoder.decode(cell));
  }

  get texts(): string[] {
    return Array.from({ length: this.length }, (_, index) => this.#text(index));
  }

  /** Returns whether the cell at `index` exists and is `text`, which is not empty. */
  holds(index: number, text: string): boolean {
    const start = this.bounds[index * 2];
    if (start === undefined || start === this.bounds[index * 2 + 1]) return false;
    const first = this.bytes[start]!;
    const isQuote = first === this.marks.quote.charCodeAt(0);
    // Most cells begin with another letter and need not be decoded.
    if (first < 0x80 && first !== BACKSLASH && !isQuote && first !== text.charCodeAt(0))
      return false;
    return this.#text(index) === text;
  }

  #text(index: number): string {
    const cell = this.bytes.subarray(this.bounds[index * 2], this.bounds[index * 2 + 1]);
    return unquote(decoder.decode(cell), this.marks);
  }
}

/** Yields the records of a trial. */
export function* recordsOf(
  bytes: Uint8Array,
  { marks, records }: Pick<Trial, "marks" | "records">,
): Generator<TrialCells, undefined, undefined> {
  const walker = new RecordWalker(bytes, marks);
  let p = findFirstRecord(bytes, marks);
  for (let index = 0; index < records; index++) {
    const bounds: number[] = [];
    const { ending, next } = walker.walk(p, undefined, bounds);
    const isMalformed = ending === "malformed" || ending === "open";
    yield new TrialCells(bytes, isMalformed ? [] : bounds, marks);
    p = isMalformed ? skipLine(bytes, p, marks) : skipToRecord(bytes, next, marks);
  }
}

function unquote(text: string, marks: CsvMarks): string {
  const { quote, escape: escaper = quote, backslashes } = marks;
  if (backslashes !== undefined) return unescapeText(insideOf(text, quote));
  if (quote === "" || !text.startsWith(quote)) return text;
  const inside = text.slice(1, -1);
  let plain = "";
  for (let index = 0; index < inside.length; index++) {
    const next = inside[index + 1];
    const isEscape = inside[index] === escaper && (next === quote || next === escaper);
    if (isEscape) index++;
    plain += inside[index];
  }
  return plain;
}

/** Returns the text between the quotes of a cell of a dialect with backslashes; all if it has none. */
export function insideOf(cell: string, quote: string): string {
  const text = cell.endsWith("\r") ? cell.slice(0, -1) : cell;
  return quote !== "" && text.startsWith(quote) ? text.slice(1, -1) : text;
}

function findFirstRecord(bytes: Uint8Array, marks: CsvMarks): number {
  return skipToRecord(bytes, startsWithMark(bytes) ? 3 : 0, marks);
}

/** Returns whether a text begins with a byte order mark. */
export function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

const decoder = new TextDecoder();
