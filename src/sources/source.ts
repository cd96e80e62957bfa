/** Compression codecs, detected by magic bytes; brotli, which has none, by the file name. */
const codecs = ["gzip", "zstd", "brotli"] as const;
export type Codec = (typeof codecs)[number];

/** The format of a source's rows, detected from its first bytes or given by the user. */
export type Format =
  | { readonly kind: "ndjson" }
  /**
   * Concatenated or pretty-printed values, or one array of them. With `arrayStart`, the rows are in
   * an array that is a member of an object; it is the offset of the first byte in that array. With
   * `keyed`, they are the members of an object.
   */
  | { readonly kind: "json"; readonly arrayStart?: number; readonly keyed?: KeyedRows }
  | ({ readonly kind: "csv" } & CsvDialect)
  | { readonly kind: "parquet" }
  /** Object container files. */
  | { readonly kind: "avro" }
  /** Rows that an earlier run rejected. */
  | { readonly kind: "rejects" };

export type FormatKind = Format["kind"];

/** Checks of values from files, by format; in the order of help and documentation. */
const formatChecks: Readonly<
  Record<FormatKind, (format: Readonly<Record<string, unknown>>) => boolean>
> = {
  ndjson: () => true,
  json: ({ arrayStart }) => arrayStart === undefined || typeof arrayStart === "number",
  csv: ({ delimiter, quote, columns }) =>
    typeof delimiter === "string" && typeof quote === "string" && Array.isArray(columns),
  parquet: () => true,
  avro: () => true,
  rejects: () => true,
};

export const formatKinds = Object.keys(formatChecks) as readonly FormatKind[];

/** Returns whether a value has the members of a format. */
export function isFormat(value: unknown): value is Format {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  const kind = formatKinds.find((known) => known === value.kind);
  return kind !== undefined && formatChecks[kind]({ ...value });
}

/** The object around rows that are its members. */
export interface KeyedRows {
  /** The offset of the first byte in it. */
  readonly start: number;
  /** True if the object is a member of another one. */
  readonly isMember: boolean;
}

/** The encoding of files whose rows are UTF-8, or else windows-1252. */
export const MIXED_ENCODING = "mixed";

export interface CsvDialect {
  /** One ASCII character; others, and several, are read through csv-parse. */
  readonly delimiter: string;
  /** One character, or "" if quotes have no meaning. */
  readonly quote: string;
  /** One character that makes a quote, or itself, literal inside quotes; absent if quotes are doubled. */
  readonly escape?: string;
  /**
   * Present if a backslash escapes any character, in quotes or not: a line feed, a delimiter, itself.
   * Then only the line end given here ends a row, letters stand for control characters (`\n`), `\N` is
   * null, and `escape` is absent.
   */
  readonly backslashes?: "lf" | "crlf";
  /** Texts that mean null, in quotes or not, besides the empty cell and the unquoted `\N`. */
  readonly nulls?: readonly string[];
  /** Lines before the header, or before the first row, that are skipped. */
  readonly skipLines?: number;
  /** One character; a line that begins with it is not a row. */
  readonly comment?: string;
  /** Names by position, from the header (may repeat) or given by the user. */
  readonly columns: readonly string[];
  /** True if the first record of the source is the header, not a row. */
  readonly header: boolean;
  /** As TextDecoder names it, or `MIXED_ENCODING`. */
  readonly encoding: string;
}

/** The members of a dialect that the user gave; the rest is detected. */
export type GivenDialect = Partial<Omit<CsvDialect, "backslashes">> & {
  readonly backslashes?: boolean;
};

/**
 * One stream of rows: a file or an entry of a zip. Plain data: it goes into the plan and to workers.
 */
export interface Source {
  /** The name in messages, rejects and the manifest: the path as given, `a.zip!dir/b.json.gz`. */
  readonly name: string;
  /** Path of the file on disk. */
  readonly path: string;
  /** The file in an archive, when the file is one. */
  readonly entry?: ZipEntry | TarEntry | undefined;
  /** Compression layers inside the file or entry, outermost first, without those of the archive. */
  readonly codecs: readonly Codec[];
  /** Bytes on disk (compressed). */
  readonly size: number;
  /** Identifies the content: changes whenever the bytes may have changed. */
  readonly fingerprint: string;
  readonly format: Format;
  /** True if codecs and format are those of objects with like names; its worker detects its own. */
  readonly sampled?: boolean | undefined;
}

export interface ZipEntry {
  readonly name: string;
  /** 0-based index in the central directory. */
  readonly index: number;
  /** With the sizes below, enough to open the entry without the central directory. */
  readonly localHeaderOffset: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  readonly method: number;
  readonly crc32: number;
}

/** A file in a tar. */
export interface TarEntry {
  readonly name: string;
  /** Bytes of the decompressed archive before it. */
  readonly offset: number;
  readonly size: number;
  /** Compression layers around the tar, outermost first. */
  readonly codecs: readonly Codec[];
}

/** Returns whether an entry is one of a tar. */
export function isTarEntry(entry: ZipEntry | TarEntry | undefined): entry is TarEntry {
  return entry !== undefined && "offset" in entry;
}

/**
 * A range of a source that one worker reads. `start` and `end` count decompressed bytes for JSON and
 * CSV, row groups for Parquet; `end: null` is the end of the source. Planned ranges start at a record.
 */
export interface SourceRange {
  readonly source: Source;
  readonly start: number;
  readonly end: number | null;
  /** Only the first rows of the range are read; absent: all of them. */
  readonly first?: FirstRows;
}

/** The first rows of a range, and about how many bytes on disk they take. */
export interface FirstRows {
  readonly rows: number;
  readonly bytes: number;
}

/** A source without its format: where its bytes are. */
export type SourceBytes = Omit<Source, "format">;
