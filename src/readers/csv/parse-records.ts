import { CsvError, parse } from "csv-parse/sync";
import type { CsvDialect } from "../../sources/source.js";

/** The marks of a dialect, of which the delimiter may have several characters. */
type ParsedMarks = Pick<CsvDialect, "delimiter" | "quote" | "escape" | "comment">;

/** A record in a text. */
export interface ParsedRecord {
  /** Offsets of its first byte, and of its line end. */
  readonly start: number;
  readonly end: number;
  /** Its cells as RFC 4180 text, in Latin-1; undefined if it is malformed. */
  readonly cells?: readonly string[];
}

interface ParsedRecords {
  readonly records: readonly ParsedRecord[];
  /** The offset of what is not read yet: after the last record. */
  readonly next: number;
  /** True if a quote that opens after `next` is not closed. */
  readonly isOpen: boolean;
}

/**
 * Reads the records of a text with csv-parse, byte by byte, so that bytes that are not UTF-8 survive. Stops
 * after the first line of a record that is malformed and spans lines, as the records after it begin there.
 */
export function parseRecords(text: Buffer, marks: ParsedMarks, recordsMax: number): ParsedRecords {
  const records: ParsedRecord[] = [];
  let position = 0;
  let stop: number | undefined;
  let isDoubtful = false;
  const take = (cells: readonly string[], next: number): void => {
    if (stop !== undefined) return;
    const mayBeMalformed = isDoubtful;
    isDoubtful = false;
    const start = skipToRecord(text, position, marks);
    position = next;
    let end = next;
    while (end > start && isLineEnd(text[end - 1])) end--;
    if (!mayBeMalformed || isWellFormed(text.subarray(start, end), marks)) {
      records.push({ start, end, cells });
      return;
    }
    const line = lineEndAfter(text, start);
    records.push({ start, end: line });
    if (line < end) stop = line;
  };
  let isOpen = false;
  try {
    parse(text, {
      ...optionsOf(marks),
      to: recordsMax,
      relax_quotes: true,
      cast: (cell, { quoting }) => {
        // A malformed cell is read so, too.
        isDoubtful ||= quoting && cell.startsWith(marks.quote);
        return quoting || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
      },
      on_record: (cells: readonly string[], { bytes }) => {
        take(cells, bytes);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== "CSV_QUOTE_NOT_CLOSED") throw error;
    isOpen = stop === undefined;
  }
  const next = stop ?? (isOpen || records.length === recordsMax ? position : text.length);
  return { records, next, isOpen };
}

function optionsOf({ delimiter, quote, escape: escaper = quote, comment }: ParsedMarks) {
  return {
    encoding: "latin1" as const,
    delimiter: Buffer.from(delimiter),
    record_delimiter: ["\r\n", "\n", "\r"],
    quote: quote === "" ? null : quote,
    escape: escaper === "" ? null : escaper,
    relax_column_count: true,
    skip_empty_lines: true,
    ...(comment === undefined ? {} : { comment, comment_no_infix: true }),
  };
}

/** Returns whether text follows no closing quote of a record. */
function isWellFormed(record: Buffer, marks: ParsedMarks): boolean {
  try {
    parse(record, optionsOf(marks));
    return true;
  } catch (error) {
    return error instanceof CsvError && error.code !== "CSV_INVALID_CLOSING_QUOTE";
  }
}

/** Skips blank lines and comments. */
function skipToRecord(text: Buffer, start: number, { comment }: ParsedMarks): number {
  let p = start;
  for (;;) {
    while (isLineEnd(text[p])) p++;
    if (comment === undefined || text[p] !== comment.charCodeAt(0)) return p;
    p = lineEndAfter(text, p);
  }
}

/** Returns the offset of the next line end, or of the end. */
export function lineEndAfter(text: Buffer, start: number): number {
  let p = start;
  while (p < text.length && !isLineEnd(text[p])) p++;
  return p;
}

export function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d;
}
