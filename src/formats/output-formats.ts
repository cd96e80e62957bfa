import type { Kernel } from "../batch/kernel.js";
import type { RowForm, RowsOptions } from "../sinks/output-columns.js";
import type { ParquetCompression } from "../sinks/parquet/page-compression.js";
import { createParquetFormat } from "../sinks/parquet/parquet-format.js";
import type { PartFormat } from "../sinks/part-format.js";
import {
  createCsvFormat,
  createJsonlFormat,
  createJsonlGzipFormat,
  csvColumns,
} from "../sinks/text-format.js";
import { type OpenPart, type RecordedExport, readsAs } from "./open-part.js";

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
  createFormat(kernel: Kernel, options: PartOptions): PartFormat | Promise<PartFormat>;
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

/** The output formats. The name of a format is also the extension of its parts. */
const outputFormats = {
  parquet: {
    title: "Apache Parquet",
    createFormat: (kernel, { compression, ...rows }) =>
      createParquetFormat(kernel, compression, rows),
    rows: "columns",
    loadsAs: { kind: "parquet" },
    hasDeltaLog: true,
    openPart: readsAs({ kind: "parquet" }),
  },
  jsonl: {
    title: "JSON lines",
    createFormat: createJsonlFormat,
    rows: "lines",
    loadsAs: { kind: "jsonl" },
    openPart: readsAs({ kind: "ndjson" }),
  },
  "jsonl.gz": {
    title: "JSON lines in gzip",
    createFormat: createJsonlGzipFormat,
    rows: "lines",
    loadsAs: { kind: "jsonl", isGzip: true },
    openPart: readsAs({ kind: "ndjson" }, ["gzip"]),
  },
  csv: {
    title: "CSV",
    createFormat: (kernel, { csvSafe, ...rows }) => createCsvFormat(kernel, csvSafe, rows),
    rows: "columns",
    loadsAs: { kind: "csv" },
    openPart: (part, fields, reading) => {
      const columns = csvColumns(reading.columns);
      const dialect = { delimiter: ",", quote: '"', header: true, encoding: "utf-8" } as const;
      return readsAs({ kind: "csv", ...dialect, columns })(part, fields, reading);
    },
    storedName: (event, { csvSafe }) => (csvSafe && formulaStart.test(event) ? `'${event}` : event),
  },
  arrow: {
    title: "Arrow IPC files",
    // Loaded only for these parts, because it takes 90 ms.
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
