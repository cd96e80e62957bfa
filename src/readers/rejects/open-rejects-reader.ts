import { MIB } from "../../base/limits.js";
import type { FieldRequest } from "../../batch/batch.js";
import type { Kernel } from "../../batch/kernel.js";
import type { ByteSource } from "../byte-source.js";
import { CsvReader } from "../csv/csv-reader.js";
import { JsonReader } from "../json/json-reader.js";
import { openBytes } from "../open-bytes.js";
import type { Reader, ReaderOptions } from "../reader.js";
import type { Format, Source, SourceRange } from "../source.js";
import { RejectsReader } from "./rejects-reader.js";

/** Opens rows that an earlier run has rejected; each is read as the format that it was kept from. */
export async function openRejectsReader(
  kernel: Kernel,
  range: SourceRange,
  fields: readonly FieldRequest[],
  options: ReaderOptions,
): Promise<Reader> {
  const { source } = range;
  const bytes = await openBytes(source, 0, { ...options, kernel });
  return new RejectsReader(range, bytes, (format, kept) =>
    readKeptRows(kernel, { ...source, format }, fields, kept, options),
  );
}

/** Bytes of the window for kept rows, which come in small groups. */
const KEPT_WINDOW_BYTES = 1 * MIB;

function readKeptRows(
  kernel: Kernel,
  source: Source,
  fields: readonly FieldRequest[],
  bytes: ByteSource,
  options: ReaderOptions,
): Reader {
  const range = { source, start: 0, end: null };
  const kept = { ...options, windowBytes: KEPT_WINDOW_BYTES };
  const { format } = source;
  switch (format.kind) {
    case "ndjson":
    // Rows of Parquet are kept as JSON.
    case "parquet":
      return new JsonReader(kernel, range, fields, bytes, "lines", kept);
    case "json":
      return new JsonReader(kernel, range, fields, bytes, "values", kept);
    case "csv":
      return new CsvReader(kernel, range, format, fields, bytes, kept);
    case "rejects":
      return new RejectsReader(range, bytes, (inner: Format, again) =>
        readKeptRows(kernel, { ...source, format: inner }, fields, again, options),
      );
  }
}
