import type { Kernel } from "../batch/kernel.js";
import type { RowForm, RowsOptions } from "../sinks/output-columns.js";
import type { ParquetCompression } from "../sinks/parquet/parquet-compressions.js";
import type { PartFormat } from "../sinks/part-format.js";
import type { Codec, Format } from "../sources/source.js";
import type { OpenPart, RecordedExport } from "./open-part.js";

/** The user's settings for the parts of an export, apart from their format. */
export interface PartOptions extends RowsOptions {
  /** Only for formats with `compressions`. */
  readonly compression: ParquetCompression;
  /** Only for CSV: cells that a spreadsheet would run as a formula begin with `'`. */
  readonly csvSafe: boolean;
}

/** Files as warehouses distinguish them. */
export type LoadedKind = "parquet" | "jsonl" | "csv" | "arrow";

/** Everything about one output format. */
interface OutputFormatRow {
  /** Name of the format for people. */
  readonly title: string;
  /**
   * Makes parts, in a worker. Throws `UsageError` (`compression_unavailable`) if this version of
   * Node does not have the compression.
   */
  createFormat(kernel: Kernel, options: PartOptions): Promise<PartFormat>;
  /** The form of the rows, which decides the columns of a profile. */
  readonly rows: RowForm;
  /** The kind of files that the statements of `load-sql` load. */
  readonly loadsAs: { readonly kind: LoadedKind; readonly isGzip?: true };
  /** Set if the log of a Delta table can list the parts. */
  readonly hasDeltaLog?: true;
  /** Opens a part to be verified. */
  readonly openPart: OpenPart;
  /** Returns the name of an event as parts store it; if absent, they store the name itself. */
  storedName?(event: string, options: Pick<PartOptions, "csvSafe">): string;
}

const textFormats = () => import("../sinks/text-format.js");

/**
 * The output formats. The name of a format is also the extension of its parts. What writes and reads a format
 * is loaded by the runs that use it; commands need only the names.
 */
const outputFormats = {
  parquet: {
    title: "Apache Parquet",
    async createFormat(kernel, { compression, ...rows }) {
      const { createParquetFormat } = await import("../sinks/parquet/parquet-format.js");
      return createParquetFormat(kernel, compression, rows);
    },
    rows: "columns",
    loadsAs: { kind: "parquet" },
    hasDeltaLog: true,
    openPart: readsAs({ kind: "parquet" }),
  },
  jsonl: {
    title: "JSON lines",
    createFormat: async (...part) => (await textFormats()).createJsonlFormat(...part),
    rows: "lines",
    loadsAs: { kind: "jsonl" },
    openPart: readsAs({ kind: "ndjson" }),
  },
  "jsonl.gz": {
    title: "JSON lines in gzip",
    createFormat: async (...part) => (await textFormats()).createJsonlGzipFormat(...part),
    rows: "lines",
    loadsAs: { kind: "jsonl", isGzip: true },
    openPart: readsAs({ kind: "ndjson" }, ["gzip"]),
  },
  csv: {
    title: "CSV",
    createFormat: async (kernel, { csvSafe, ...rows }) =>
      (await textFormats()).createCsvFormat(kernel, csvSafe, rows),
    rows: "columns",
    loadsAs: { kind: "csv" },
    openPart: async (part, fields, reading) => {
      const { csvColumns } = await textFormats();
      const columns = csvColumns(reading.columns);
      const dialect = { delimiter: ",", quote: '"', header: true, encoding: "utf-8" } as const;
      return readsAs({ kind: "csv", ...dialect, columns })(part, fields, reading);
    },
    storedName: (event, { csvSafe }) => (csvSafe && formulaStart.test(event) ? `'${event}` : event),
  },
  arrow: {
    title: "Arrow IPC files",
    createFormat: async (kernel, rows) =>
      (await import("../sinks/arrow/arrow-format.js")).createArrowFormat(kernel, rows),
    rows: "columns",
    loadsAs: { kind: "arrow" },
    openPart: async (...part) => (await import("./arrow-part-reader.js")).openArrowPart(...part),
  },
} as const satisfies Readonly<Record<string, OutputFormatRow>>;

export type OutputFormat = keyof typeof outputFormats;

export const outputFormatNames = Object.keys(outputFormats) as readonly OutputFormat[];

export function outputFormat(name: OutputFormat): OutputFormatRow {
  return outputFormats[name];
}

/** Opens parts with the reader of an input format. */
function readsAs(format: Format, codecs: readonly Codec[] = []): OpenPart {
  return async (...part) => (await import("./open-part.js")).openAs(format, codecs, ...part);
}

/** Characters that make a spreadsheet read a cell as a formula. */
const formulaStart = /^[=+\-@\t\r]/;

/** Returns the name of an event as the parts of an export store it. */
export function nameInPart(
  event: string,
  { format, configuration }: RecordedExport & { readonly format: string },
): string {
  const { storedName = (name: string) => name } = outputFormat(format as OutputFormat);
  return storedName(event, { csvSafe: configuration["csvSafe"] === true });
}
