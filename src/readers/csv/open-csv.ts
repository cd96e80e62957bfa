import type { CsvDialect } from "../../sources/source.js";
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

/** `openCsvReader` for rows that are recoded already. */
export async function openUtf8Reader(
  { kernel, range, fields, bytes, options }: OpenedRange,
  dialect: CsvDialect,
): Promise<Reader> {
  if (!isParsed(dialect)) return new CsvReader(kernel, range, dialect, fields, bytes, options);
  const { ParsedCsvReader } = await import("./parsed-csv-reader.js");
  return new ParsedCsvReader(kernel, range, dialect, fields, bytes, options);
}
