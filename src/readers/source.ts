/** Compression around a source's bytes, as found by magic bytes (brotli has none: by name). */
const codecs = ["gzip", "zstd", "brotli"] as const;
export type Codec = (typeof codecs)[number];

/** The format of a source's rows, detected from its first bytes or given by the user. */
export type Format =
  | { readonly kind: "ndjson" }
  /** Concatenated or pretty-printed values, or one array of them. */
  | { readonly kind: "json" }
  | ({ readonly kind: "csv" } & CsvDialect)
  | { readonly kind: "parquet" }
  /** Switchyard's own rejects, to be tried again. */
  | { readonly kind: "rejects" };

export type FormatKind = Format["kind"];

/** In the order of help and documentation. */
const formatChecks: Readonly<
  Record<FormatKind, (format: Readonly<Record<string, unknown>>) => boolean>
> = {
  ndjson: () => true,
  json: () => true,
  csv: ({ delimiter, quote, columns }) =>
    typeof delimiter === "string" && typeof quote === "string" && Array.isArray(columns),
  parquet: () => true,
  rejects: () => true,
};

export const formatKinds = Object.keys(formatChecks) as readonly FormatKind[];

/** Whether a value from a file has the members of a format. */
export function isFormat(value: unknown): value is Format {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  const kind = formatKinds.find((known) => known === value.kind);
  return kind !== undefined && formatChecks[kind]({ ...value });
}

export interface CsvDialect {
  /** One character. */
  readonly delimiter: string;
  /** One character, or "" where quotes mean nothing. */
  readonly quote: string;
  /**
   * One character that makes a quote, or itself, literal inside quotes; left out where a doubled
   * quote does.
   */
  readonly escape?: string;
  /** Names by position, as in the header (repeated names are possible) or as given. */
  readonly columns: readonly string[];
  /** Whether the first record of the source is the header and no row. */
  readonly header: boolean;
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
}

/**
 * One stream of rows: a file or an entry of a zip. Plain data: it goes into the plan and to workers.
 */
export interface Source {
  /** How messages, rejects and the manifest call it: the path as given, `a.zip!dir/b.json.gz`. */
  readonly name: string;
  /** Path of the file on disk. */
  readonly path: string;
  /** The zip entry, when the file is a zip. */
  readonly entry?: ZipEntry;
  /** Compression layers inside the file or entry, outermost first. A zip's own deflate is none. */
  readonly codecs: readonly Codec[];
  /** Bytes that it takes on disk (compressed). */
  readonly size: number;
  /** What identifies the content: changes whenever the bytes may have changed. */
  readonly fingerprint: string;
  readonly format: Format;
}

export interface ZipEntry {
  readonly name: string;
  /** 0-based place in the central directory. */
  readonly index: number;
  /** What a reader needs to open it without the central directory. */
  readonly localHeaderOffset: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  readonly method: number;
  readonly crc32: number;
}

/**
 * A piece of a source that can be read on its own. `start` and `end` count decompressed bytes for
 * JSON and CSV, row groups for Parquet; `end: null` is the end of the source. Plans only make pieces
 * that start at a record.
 */
export interface SourceRange {
  readonly source: Source;
  readonly start: number;
  readonly end: number | null;
}

/** What of a source says where its bytes are: all but how they are to be understood. */
export type SourceBytes = Omit<Source, "format">;
