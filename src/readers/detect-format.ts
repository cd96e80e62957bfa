import { SourceError, UsageError } from "../base/errors.js";
import { SNIFF_BYTES } from "../base/limits.js";
import { detectCsv } from "./csv/csv-detection.js";
import { detectEncoding, toUtf8 } from "./csv/csv-encoding.js";
import type { DetectFormat, FormatHints } from "./discovery.js";
import { detectJson } from "./json/detect-json.js";
import { isBinary } from "./magic.js";
import type { CsvDialect, Format, FormatKind } from "./source.js";

/** What the user says about the inputs; everything else is found by looking. */
export interface GivenFormat {
  readonly kind?: FormatKind;
  readonly csv: Partial<CsvDialect>;
}

const PARQUET_MAGIC = "PAR1";
const ENCRYPTED_PARQUET_MAGIC = "PARE";

/**
 * Makes the detection of formats by first bytes: Parquet by its magic, JSON by its lines, then CSV
 * by what its records have in common. What the user gives is believed.
 */
export function createFormatDetection({ kind, csv }: GivenFormat): DetectFormat {
  return (head, hints) => {
    if (kind === undefined) return detect(head, hints, csv);
    if (kind === "csv") return detectGivenCsv(head, hints, csv);
    return { kind };
  };
}

function detect(head: Uint8Array, hints: FormatHints, csv: Partial<CsvDialect>): Format {
  const magic = Buffer.from(head.subarray(0, 4)).toString("latin1");
  if (magic === PARQUET_MAGIC) return { kind: "parquet" };
  // Four letters that a column name may begin with, too.
  if (magic === ENCRYPTED_PARQUET_MAGIC && isBinary(head)) {
    throw new SourceError(
      "source_encrypted",
      { source: hints.name },
      "the Parquet footer is encrypted. Export without encryption.",
    );
  }
  const complete = head.length < SNIFF_BYTES;
  const encoding = detectEncoding(head);
  const json = detectJson(toUtf8(head, encoding), complete);
  if (json !== null && encoding !== "utf-8") {
    throw new SourceError(
      "source_unsupported",
      { source: hints.name },
      `JSON in ${encoding.toUpperCase()}, which RFC 8259 does not allow. Recode it to UTF-8.`,
    );
  }
  if (json !== null) return json;
  const dialect = detectCsv(head, { name: hints.name, complete }, csv);
  if (dialect !== null) return { kind: "csv", ...dialect };
  if (isBlank(head)) return { kind: "ndjson" };
  throw new SourceError(
    "format_unknown",
    { source: hints.name },
    "neither JSON, CSV nor Parquet by its first bytes. Say what it is with --input-format, or leave it out.",
  );
}

function detectGivenCsv(head: Uint8Array, hints: FormatHints, csv: Partial<CsvDialect>): Format {
  const complete = head.length < SNIFF_BYTES;
  const dialect = detectCsv(head, { name: hints.name, complete }, csv);
  if (dialect !== null) return { kind: "csv", ...dialect };
  throw new UsageError(
    "csv_dialect_unknown",
    `${hints.name}: its CSV dialect cannot be told by its first bytes. Give --csv-delimiter and --csv-columns.`,
  );
}

function isBlank(head: Uint8Array): boolean {
  return /^\ufeff?[ \t\r\n]*$/.test(Buffer.from(head).toString());
}
