import { JsonReader } from "./json/json-reader.js";
import type { RowLayout } from "./json/row-scanner.js";
import { isPlain, openBytes } from "./open-bytes.js";
import type { OpenReader, ReaderOptions } from "./reader.js";
import type { FormatKind, Source, SourceRange } from "./source.js";

/** How sources of one format are cut into ranges and read. */
interface SourceFormat {
  planRanges(
    source: Source,
    splitBytes: number,
    options: ReaderOptions,
  ): Promise<readonly SourceRange[]> | readonly SourceRange[];
  readonly open: OpenReader;
}

/** Of the readers, those that not every run needs are loaded when they are. */
const formats: Readonly<Record<FormatKind, SourceFormat>> = {
  ndjson: { planRanges: planLineRanges, open: jsonOpener("lines") },
  json: { planRanges: planWhole, open: jsonOpener("values") },
  csv: {
    async planRanges(source, splitBytes, options) {
      const { planCsvRanges } = await import("./csv/csv-ranges.js");
      return planCsvRanges(source, (whole, start) => openBytes(whole, start, options), splitBytes);
    },
    async open(...range) {
      const { createCsvReaderOpener } = await import("./csv/open-csv-reader.js");
      return createCsvReaderOpener(openBytes)(...range);
    },
  },
  parquet: {
    async planRanges(...plan) {
      const { planParquetRanges } = await import("./parquet/ranges.js");
      return planParquetRanges(...plan);
    },
    async open(...range) {
      const { openParquetReader } = await import("./parquet/parquet-reader.js");
      return openParquetReader(...range);
    },
  },
  rejects: {
    planRanges: planWhole,
    async open(...range) {
      const { openRejectsReader } = await import("./rejects/open-rejects-reader.js");
      return openRejectsReader(...range);
    },
  },
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
    const start = Math.max(0, range.start - 1);
    const bytes = await openBytes(range.source, start, { ...options, kernel });
    return new JsonReader(kernel, range, fields, bytes, layout, options);
  };
}
