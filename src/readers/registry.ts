import { MIB } from "../base/limits.js";
import type { FieldRequest } from "../batch/batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";
import { planCsvRanges } from "./csv/csv-ranges.js";
import { CsvReader } from "./csv/csv-reader.js";
import { createCsvReaderOpener } from "./csv/open-csv-reader.js";
import { JsonReader } from "./json/json-reader.js";
import type { RowLayout } from "./json/row-scanner.js";
import { isPlain, openBytes } from "./open-bytes.js";
import { openParquetReader } from "./parquet/parquet-reader.js";
import { planParquetRanges } from "./parquet/ranges.js";
import type { OpenReader, Reader, ReaderOptions } from "./reader.js";
import { RejectsReader } from "./rejects/rejects-reader.js";
import type { Format, FormatKind, Source, SourceRange } from "./source.js";

/** How sources of one format are cut into ranges and read. */
interface SourceFormat {
  planRanges(
    source: Source,
    splitBytes: number,
    options: ReaderOptions,
  ): Promise<readonly SourceRange[]> | readonly SourceRange[];
  readonly open: OpenReader;
}

const formats: Readonly<Record<FormatKind, SourceFormat>> = {
  ndjson: { planRanges: planLineRanges, open: jsonOpener("lines") },
  json: { planRanges: planWhole, open: jsonOpener("values") },
  csv: {
    planRanges: (source, splitBytes, options) =>
      planCsvRanges(source, (whole, start) => openBytes(whole, start, options), splitBytes),
    open: createCsvReaderOpener(openBytes),
  },
  parquet: { planRanges: planParquetRanges, open: openParquetReader },
  rejects: { planRanges: planWhole, open: openRejects },
};

/** The ranges that a source can be cut into, each of about `splitBytes`, in order, without a gap. */
export async function planRanges(
  source: Source,
  splitBytes: number,
  options: ReaderOptions,
): Promise<readonly SourceRange[]> {
  return formats[source.format.kind].planRanges(source, splitBytes, options);
}

/** Opens a range with the reader of its format. */
export const openRange: OpenReader = (kernel, range, fields, options) =>
  formats[range.source.format.kind].open(kernel, range, fields, options);

function planWhole(source: Source): readonly SourceRange[] {
  return [{ source, start: 0, end: null }];
}

/** Lines can be cut anywhere: the reader of a range begins at the first line that begins in it. */
function planLineRanges(source: Source, splitBytes: number): readonly SourceRange[] {
  if (!isPlain(source)) return planWhole(source);
  const count = Math.max(1, Math.ceil(source.size / splitBytes));
  return Array.from({ length: count }, (_, index) => ({
    source,
    start: index * splitBytes,
    end: index === count - 1 ? null : (index + 1) * splitBytes,
  }));
}

function jsonOpener(layout: RowLayout): OpenReader {
  return async (kernel, range, fields, options) => {
    // The byte before the range says whether a line begins with it.
    const bytes = await openBytes(range.source, Math.max(0, range.start - 1), options);
    return new JsonReader(kernel, range, fields, bytes, layout, options);
  };
}

async function openRejects(
  kernel: Kernel,
  range: SourceRange,
  fields: readonly FieldRequest[],
  options: ReaderOptions,
): Promise<Reader> {
  const { source } = range;
  const bytes = await openBytes(source, 0, options);
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
