import { type CsvDialect, MIXED_ENCODING } from "../../sources/source.js";
import type { OpenedRange, Reader } from "../reader.js";
import { isParsed } from "./csv-dialects.js";
import { recode } from "./csv-encoding.js";
import { CsvReader } from "./csv-reader.js";

/**
 * Opens the rows of a range. Other encodings are recoded to UTF-8 first: byte offsets of their rows count
 * recoded bytes, and they are not split.
 */
export function openCsvReader(opened: OpenedRange, dialect: CsvDialect): Promise<Reader> {
  return openUtf8Reader({ ...opened, bytes: recode(opened.bytes, dialect.encoding) }, dialect);
}

/** `openCsvReader` for rows that are recoded already, or mixed. */
export async function openUtf8Reader(opened: OpenedRange, dialect: CsvDialect): Promise<Reader> {
  const reader = await openRecords(opened, dialect);
  if (dialect.encoding !== MIXED_ENCODING) return reader;
  const { MixedRowsReader } = await import("./mixed-rows-reader.js");
  // Rows have neither a header nor lines before one.
  const { skipLines, comment, ...marks } = dialect;
  const own: CsvDialect = { ...marks, header: false };
  return new MixedRowsReader(reader, (bytes, length) => {
    const { range, options } = opened;
    const rowBytesMax = options.rowBytesMax * WINDOWS_1252_BYTES_MAX;
    return openRecords(
      {
        ...opened,
        range: { source: range.source, start: 0, end: null },
        bytes,
        options: { ...options, rowBytesMax, windowBytes: length + 1 },
      },
      own,
    );
  });
}

/** UTF-8 bytes of a character of windows-1252, at most. */
const WINDOWS_1252_BYTES_MAX = 3;

async function openRecords(
  { kernel, range, fields, bytes, options }: OpenedRange,
  dialect: CsvDialect,
): Promise<Reader> {
  if (!isParsed(dialect)) return new CsvReader(kernel, range, dialect, fields, bytes, options);
  const { ParsedCsvReader } = await import("./parsed-csv-reader.js");
  return new ParsedCsvReader(kernel, range, dialect, fields, bytes, options);
}
