import type { CsvDialect } from "../source.js";

/** The characters that structure CSV, without names and encoding. */
export type CsvMarks = Pick<CsvDialect, "delimiter" | "quote" | "escape">;

/** The states of a position within a record. */
export const recordStates = [
  "cellStart",
  "unquoted",
  "quoted",
  "afterQuoteInQuotes",
  "afterEscape",
] as const;
export type RecordState = (typeof recordStates)[number];

export interface RecordWalk {
  /**
   * `line`: it ended with a line end. `cut`: the bytes ended first, outside quotes. `open`: the bytes
   * ended inside quotes. `malformed`: text followed a closing quote.
   */
  readonly ending: "line" | "cut" | "open" | "malformed";
  /** After the line end, or where the walk stopped. */
  readonly next: number;
  readonly cells: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NO_CHARACTER = -1;

/**
 * Walks from `start`, in `state`, to the end of the record, by the rules of the kernel that reads rows.
 * Used for heads and around possible cuts, not for whole sources. `bounds` receives the start and the end
 * of every cell, quotes included.
 */
export function walkRecord(
  bytes: Uint8Array,
  start: number,
  marks: CsvMarks,
  state: RecordState = "cellStart",
  bounds?: number[],
): RecordWalk {
  const delimiter = marks.delimiter.charCodeAt(0);
  const quote = marks.quote === "" ? NO_CHARACTER : marks.quote.charCodeAt(0);
  const escaper = marks.escape === undefined ? NO_CHARACTER : marks.escape.charCodeAt(0);
  let cells = 0;
  let cellStart = start;
  let now = state;
  for (let p = start; p < bytes.length; p++) {
    const byte = bytes[p]!;
    if (now === "quoted") {
      if (byte === escaper) now = "afterEscape";
      else if (byte === quote) now = "afterQuoteInQuotes";
    } else if (now === "afterEscape") {
      now = "quoted";
    } else if (byte === delimiter) {
      bounds?.push(cellStart, p);
      cells++;
      cellStart = p + 1;
      now = "cellStart";
    } else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
      bounds?.push(cellStart, p);
      const isPair = byte === CARRIAGE_RETURN && bytes[p + 1] === LINE_FEED;
      return { ending: "line", next: p + (isPair ? 2 : 1), cells: cells + 1 };
    } else if (now === "cellStart") {
      now = byte === quote ? "quoted" : "unquoted";
    } else if (now === "afterQuoteInQuotes") {
      if (byte !== quote || escaper !== NO_CHARACTER) {
        return { ending: "malformed", next: p, cells: cells + 1 };
      }
      now = "quoted";
    }
  }
  bounds?.push(cellStart, bytes.length);
  const isOpen = now === "quoted" || now === "afterEscape";
  return { ending: isOpen ? "open" : "cut", next: bytes.length, cells: cells + 1 };
}

/** Skips line ends: blank lines are not records. */
export function skipLineEnds(bytes: Uint8Array, start: number): number {
  let p = start;
  while (p < bytes.length && (bytes[p] === LINE_FEED || bytes[p] === CARRIAGE_RETURN)) p++;
  return p;
}

/** The end of the line around `start`, its line end included. */
export function skipLine(bytes: Uint8Array, start: number): number {
  let p = start;
  while (p < bytes.length && bytes[p] !== LINE_FEED && bytes[p] !== CARRIAGE_RETURN) p++;
  return skipLineEnds(bytes, p);
}
