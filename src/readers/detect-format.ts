import { SourceError, UsageError } from "../base/errors.js";
import { detectCsv } from "./csv/csv-detection.js";
import { detectEncoding, ENCODING_PROBE_BYTES, toUtf8 } from "./csv/csv-encoding.js";
import { detectJson } from "./json/detect-json.js";
import { isBinary } from "./magic.js";
import type { CsvDialect, Format, FormatKind } from "./source.js";
import type { DetectFormat } from "./source-discovery.js";
import type { HeadSample } from "./source-head.js";

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
  return (sample, name) => {
    if (kind === undefined) return detect(sample, name, csv);
    if (kind !== "csv") return { kind };
    return sample.extent === "part" ? null : detectGivenCsv(sample, name, csv);
  };
}

function detect(
  { bytes, extent }: HeadSample,
  name: string,
  csv: Partial<CsvDialect>,
): Format | null {
  const magic = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  if (magic === PARQUET_MAGIC) return { kind: "parquet" };
  // Four letters that a column name may begin with, too.
  if (magic === ENCRYPTED_PARQUET_MAGIC) {
    if (isBinary(bytes)) throw encryptedParquet(name);
    if (extent === "part") return null;
  }
  if (extent === "part" && bytes.length < ENCODING_PROBE_BYTES) return null;
  const encoding = detectEncoding(bytes);
  const json = detectJson(toUtf8(bytes, encoding), extent);
  if (json === "undecided") return null;
  if (json !== "none") {
    if (encoding === "utf-8") return json;
    throw new SourceError(
      "source_unsupported",
      { source: name },
      `JSON in ${encoding.toUpperCase()}, which RFC 8259 does not allow. Recode it to UTF-8.`,
    );
  }
  // Any byte may be a delimiter, or one that no CSV has.
  if (extent === "part") return null;
  const dialect = detectCsv(bytes, { name, complete: extent === "whole" }, csv);
  if (dialect !== null) return { kind: "csv", ...dialect };
  if (isBlank(bytes)) return { kind: "ndjson" };
  throw new SourceError(
    "format_unknown",
    { source: name },
    "neither JSON, CSV nor Parquet by its first bytes. Say what it is with --input-format, or leave it out.",
  );
}

function encryptedParquet(source: string): SourceError {
  return new SourceError(
    "source_encrypted",
    { source },
    "the Parquet footer is encrypted. Export without encryption.",
  );
}

function detectGivenCsv(
  { bytes, extent }: HeadSample,
  name: string,
  csv: Partial<CsvDialect>,
): Format {
  const dialect = detectCsv(bytes, { name, complete: extent === "whole" }, csv);
  if (dialect !== null) return { kind: "csv", ...dialect };
  throw new UsageError(
    "csv_dialect_unknown",
    `${name}: its CSV dialect cannot be told by its first bytes. Give --csv-delimiter and --csv-columns.`,
  );
}

function isBlank(head: Uint8Array): boolean {
  return /^\ufeff?[ \t\r\n]*$/.test(Buffer.from(head).toString());
}
