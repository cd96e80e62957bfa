import { UsageError } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import type { CsvDialect, GivenDialect } from "../../sources/source.js";
import { detectCsv, startAfter } from "./csv-detection.js";
import { detectEncoding, toUtf8 } from "./csv-encoding.js";
import type { CsvHints } from "./csv-trial.js";
import { parseRecords } from "./parse-records.js";

/** Records of the head that are looked at. */
const RECORDS = 200;

/** Detects header and names of an input with a delimiter that the kernels do not know. */
export function detectParsedCsv(
  head: Uint8Array,
  hints: CsvHints & { readonly name: string },
  { delimiter = ",", ...given }: GivenDialect,
): CsvDialect {
  const { quote = '"', comment, skipLines, nulls } = given;
  const own = { quote, ...omitUndefined({ escape: given.escape, comment, skipLines, nulls }) };
  if (given.backslashes === true) {
    throw new UsageError(
      "csv_dialect_unknown",
      `${hints.name}: backslash escapes are read only with a delimiter of one ASCII character. Export with another delimiter, or as JSON.`,
    );
  }
  const encoding = given.encoding ?? detectEncoding(head);
  const text = Buffer.from(toUtf8(head, encoding));
  const isWhole = hints.complete === true;
  const bytes = text.subarray(startAfter(text, skipLines ?? 0));
  const known = bytes.subarray(0, isWhole ? bytes.length : bytes.lastIndexOf(0x0a) + 1);
  const { records } = parseRecords(known, { delimiter, ...own }, RECORDS);
  const plain = records.map(({ cells = [] }) => `${cells.join(",")}\n`).join("");
  const { columns, header } = omitUndefined({ columns: given.columns, header: given.header });
  const found = detectCsv(
    Buffer.from(plain, "latin1"),
    { ...hints, given: true, complete: true },
    {
      delimiter: ",",
      quote: '"',
      backslashes: false,
      encoding: "utf-8",
      ...omitUndefined({ columns, header }),
    },
  );
  const none = { columns: columns ?? [], header: header ?? true };
  return {
    delimiter,
    ...own,
    columns: (found ?? none).columns,
    header: (found ?? none).header,
    encoding,
  };
}
