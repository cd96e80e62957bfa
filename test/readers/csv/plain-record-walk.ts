import type { CsvMarks, RecordWalk } from "../../../src/readers/csv/record-walk.js";

/** The states of a position within a record, in the order of `possibleStates`. */
export const recordStates = [
  "unquoted",
  "quoted",
  "cellStart",
  "afterQuoteInQuotes",
  "afterEscape",
  "afterEscapeUnquoted",
] as const;
type RecordState = (typeof recordStates)[number];

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NO_CHARACTER = -1;

/** Walks one record as plainly as possible: what `RecordWalker` is compared with. */
export function walkRecord(
  bytes: Uint8Array,
  start: number,
  marks: CsvMarks,
  state: RecordState = "cellStart",
  bounds?: number[],
): RecordWalk & { readonly cells: number } {
  const delimiter = marks.delimiter.charCodeAt(0);
  const quote = marks.quote === "" ? NO_CHARACTER : marks.quote.charCodeAt(0);
  const hasBackslashes = marks.backslashes !== undefined;
  const character = hasBackslashes ? "\\" : marks.escape;
  const escaper = character === undefined ? NO_CHARACTER : character.charCodeAt(0);
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
    } else if (now === "afterEscapeUnquoted") {
      now = "unquoted";
    } else if (byte === delimiter) {
      bounds?.push(cellStart, p);
      cells++;
      cellStart = p + 1;
      now = "cellStart";
    } else if (byte === LINE_FEED || (byte === CARRIAGE_RETURN && !hasBackslashes)) {
      bounds?.push(cellStart, p);
      const isPair = byte === CARRIAGE_RETURN && bytes[p + 1] === LINE_FEED;
      return { ending: "line", next: p + (isPair ? 2 : 1), cells: cells + 1 };
    } else if (now === "afterQuoteInQuotes") {
      const isLast = p + 1 === bytes.length;
      const isPair = byte === CARRIAGE_RETURN && (isLast || bytes[p + 1] === LINE_FEED);
      if (hasBackslashes && isPair) continue;
      if (byte !== quote || escaper !== NO_CHARACTER) {
        return { ending: "malformed", next: p, cells: cells + 1 };
      }
      now = "quoted";
    } else if (hasBackslashes && byte === escaper) {
      now = "afterEscapeUnquoted";
    } else if (now === "cellStart") {
      now = byte === quote ? "quoted" : "unquoted";
    }
  }
  bounds?.push(cellStart, bytes.length);
  const isOpen = now === "quoted" || now === "afterEscape";
  return { ending: isOpen ? "open" : "cut", next: bytes.length, cells: cells + 1 };
}
