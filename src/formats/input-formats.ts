import { SourceError } from "../base/errors.js";
import { KIB, MIB } from "../base/limits.js";
import { option } from "../base/option-text.js";
import type { FieldRequest } from "../batch/batch.js";
import type { RandomAccessOptions } from "../parquet/random-access.js";
import { isParsed } from "../readers/csv/csv-dialects.js";
import { FirstRowsReader } from "../readers/first-rows-reader.js";
import { detectJsonFormat, givenJson } from "../readers/json/detect-json.js";
import { JsonReader } from "../readers/json/json-reader.js";
import type { RowLayout } from "../readers/json/row-scanner.js";
import { refuseNotData } from "../readers/not-data.js";
import type { OpenedRange, OpenReader, Reader } from "../readers/reader.js";
import type { ByteSource } from "../sources/byte-source.js";
import { DigestedBytes, isSampled } from "../sources/digested-bytes.js";
import { isBinary } from "../sources/magic.js";
import { isPlain, openBytes } from "../sources/open-bytes.js";
import { isPathField } from "../sources/path-columns.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Format, FormatKind, GivenDialect, Source, SourceRange } from "../sources/source.js";
import type { DetectFormat } from "../sources/source-discovery.js";
import type { HeadSample } from "../sources/source-head.js";
import { plainSource } from "../sources/source-table.js";
import { openWithItems, openWithPath } from "./added-fields.js";
import { describeCsv } from "./describe-csv.js";
import { csvPieces, linePieces, type Pieces, planLineRanges, planWhole } from "./pieces.js";

/** The facts that a detector has of a source beside its first bytes. */
interface DetectionHints {
  /** The source's name. */
  readonly name: string;
  /** The CSV dialect that the user gave. */
  readonly csv: GivenDialect;
  /** Names of the members that rows may have; see `findWrapper`. */
  readonly rowFields: ReadonlySet<string>;
}

/** `none`: another format. `undecided`: only for a `part`, which is too short. */
type Detected = Format | "none" | "undecided";

type ReadBytes<F extends Format> = (opened: OpenedRange, format: F) => Reader | Promise<Reader>;

/** Everything about one format of inputs. */
interface ReaderFormat<F extends Format> {
  /** The format in words, for `init`. */
  describe(format: F): string;
  /**
   * Detects the format, and formats of its family, by first bytes. Absent if another row of the
   * family does. Throws `SourceError` for a variety that cannot be read.
   */
  detect?(sample: HeadSample, hints: DetectionHints): Detected | Promise<Detected>;
  /** Returns the format of a kind that the user gives; null if the sample is too short to tell the rest. */
  given(sample: HeadSample, hints: DetectionHints): F | null | Promise<F | null>;
  /** The unit of `start` and `end` of a range. */
  readonly rangeUnit: "bytes" | "row groups";
  /** Uncompressed bytes that a byte on disk counts for when splits are packed, for formats that compress. */
  readonly weight?: number;
  /** Bytes of a piece when a dry run reads a share of the input. */
  readonly samplePieceBytes: number;
  /** The ranges that a source can be cut into, each of about `splitBytes`, in order, without a gap. */
  planRanges(
    source: Source,
    splitBytes: number,
    options: ReaderOptions,
  ): Promise<readonly SourceRange[]> | readonly SourceRange[];
  /** Cuts single pieces out of a source; absent for formats that are cut otherwise, or not at all. */
  readonly pieces?: Pieces;
  readonly open: OpenReader;
  /** The format that a rejected row is kept in, and read again as. */
  keptAs(format: F): Format;
  /** Reads kept rows; absent if `keptAs` gives another format. */
  readonly readKept?: ReadBytes<F>;
}

const readArray = readJson("values");

type FormatOf<Kind extends FormatKind> = Extract<Format, { readonly kind: Kind }>;
type CsvFormat = FormatOf<"csv">;

/** Bytes of a piece of a format that is cheap to cut. */
const SAMPLE_PIECE_BYTES = 256 * KIB;

/**
 * The formats of inputs, in the order in which they are detected. Readers that not every run needs are
 * loaded on demand.
 */
const formats: { readonly [Kind in FormatKind]: ReaderFormat<FormatOf<Kind>> } = {
  parquet: {
    describe: () => "Parquet",
    detect: detectParquet,
    given: () => ({ kind: "parquet" }),
    rangeUnit: "row groups",
    weight: 4,
    samplePieceBytes: SAMPLE_PIECE_BYTES,
    async planRanges(...plan) {
      const { planParquetRanges } = await import("../parquet/ranges.js");
      return planParquetRanges(...plan);
    },
    async open(...range) {
      const { openParquetReader } = await import("../parquet/parquet-reader.js");
      return openParquetReader(...range);
    },
    keptAs: () => ({ kind: "ndjson" }),
  },
  avro: {
    describe: () => "Avro",
    detect: ({ bytes }) => (beginsWith(bytes, AVRO_MAGIC) ? { kind: "avro" } : "none"),
    given: () => ({ kind: "avro" }),
    rangeUnit: "bytes",
    weight: 4,
    samplePieceBytes: SAMPLE_PIECE_BYTES,
    planRanges: planWhole,
    open: opener(async (opened) => {
      const { openAvroReader } = await import("../avro/open-avro.js");
      return openAvroReader(opened);
    }),
    keptAs: () => ({ kind: "ndjson" }),
  },
  ndjson: {
    describe: () => "newline-delimited JSON",
    detect: detectJsonFormat,
    given: () => ({ kind: "ndjson" }),
    rangeUnit: "bytes",
    samplePieceBytes: SAMPLE_PIECE_BYTES,
    planRanges: planLineRanges,
    pieces: linePieces,
    // The byte before the range tells whether a line begins with it.
    open: opener(readJson("lines"), 1),
    keptAs: (format) => format,
    readKept: readJson("lines"),
  },
  json: {
    describe: ({ arrayStart, keyed }) => {
      if (keyed !== undefined) return "JSON (rows by key in an object)";
      return arrayStart === undefined ? "JSON" : "JSON (an array in an object)";
    },
    given: givenJson,
    rangeUnit: "bytes",
    samplePieceBytes: SAMPLE_PIECE_BYTES,
    planRanges: planWhole,
    open: opener(readValues),
    keptAs: () => keptJson,
    readKept: readArray,
  },
  rejects: {
    describe: () => "Switchyard's own rejects",
    given: () => ({ kind: "rejects" }),
    rangeUnit: "bytes",
    samplePieceBytes: SAMPLE_PIECE_BYTES,
    planRanges: planWhole,
    open: opener(readRejects),
    keptAs: (format) => format,
    readKept: readRejects,
  },
  csv: {
    describe: describeCsv,
    async detect({ bytes, extent }, { name, csv }) {
      // Any byte may be a delimiter, or one that no CSV has.
      if (extent === "part") return "undecided";
      const hints = { name, complete: extent === "whole" };
      if (isParsed(csv)) return detectParsed(bytes, hints, csv);
      const { detectCsv } = await import("../readers/csv/csv-detection.js");
      const dialect = detectCsv(bytes, hints, csv);
      return dialect === null ? "none" : { kind: "csv", ...dialect };
    },
    async given(sample, { name, csv }) {
      if (sample.extent === "part") return null;
      const hints = { name, complete: sample.extent === "whole" };
      if (isParsed(csv)) return detectParsed(sample.bytes, hints, csv);
      const { detectGivenCsv } = await import("../readers/csv/csv-detection.js");
      return { kind: "csv", ...detectGivenCsv(sample.bytes, hints, csv) };
    },
    rangeUnit: "bytes",
    // Positions where a CSV can be cut are costly to find.
    samplePieceBytes: 4 * MIB,
    async planRanges(source, splitBytes, options) {
      const { planCsvRanges } = await import("../readers/csv/csv-ranges.js");
      return planCsvRanges(source, (whole, start) => openBytes(whole, start, options), splitBytes);
    },
    pieces: csvPieces,
    open: opener<CsvFormat>(async (opened, format) => {
      const { openCsvReader } = await import("../readers/csv/open-csv.js");
      return openCsvReader(opened, format);
    }),
    keptAs: keptCsv,
    async readKept(opened, format) {
      const { openUtf8Reader } = await import("../readers/csv/open-csv.js");
      return openUtf8Reader(opened, format);
    },
  },
};

export function formatOf<F extends Format>({ kind }: F): ReaderFormat<F> {
  return formats[kind] as unknown as ReaderFormat<F>;
}

/** Cuts a source into ranges; see `ReaderFormat.planRanges`. */
export async function planRanges(
  source: Source,
  splitBytes: number,
  options: ReaderOptions,
): Promise<readonly SourceRange[]> {
  return formatOf(source.format).planRanges(source, splitBytes, options);
}

/** Returns the names of the columns of a Parquet file; see `columnNames`. */
export async function columnsOf(
  source: Source,
  options: RandomAccessOptions,
): Promise<readonly string[]> {
  const { columnNames } = await import("../parquet/columns.js");
  return columnNames(source, options);
}

/** Opens a range with the reader of its format. */
export const openRange: OpenReader = async (kernel, range, fields, options) => {
  const { source } = range;
  const openOuter = (own: readonly FieldRequest[]) =>
    formatOf(source.format).open(kernel, range, own, options);
  const open = async (own: readonly FieldRequest[]) => {
    if (options.rows === undefined) return openOuter(own);
    if (source.format.kind === "csv") throw rowsInCells(source.name, options.rows);
    const { openRows } = await import("../readers/rows/rows-reader.js");
    const { rowBytesMax } = options;
    const outer = { kernel, source, kept: keptFormat(source.format), rowBytesMax };
    return openRows(outer, options.rows, own, openOuter);
  };
  const reader = await openWithItems(kernel, fields, options.rowBytesMax, (own) =>
    openWithPath(kernel, source, own, open),
  );
  return range.first === undefined ? reader : new FirstRowsReader(reader, range.first.rows);
};

function rowsInCells(source: string, rows: readonly string[]): SourceError {
  return new SourceError(
    "source_unsupported",
    { source },
    `CSV has no lists, but the mapping's rows are in the list ${rows.join(".")}. Leave out rows, or export JSON or Parquet.`,
  );
}

/** The facts that the user gave about the inputs; the rest is detected. */
interface GivenFormat {
  readonly kind?: FormatKind | undefined;
  readonly csv: GivenDialect;
  /** Names of the members that rows may have; see `findWrapper`. */
  readonly rowFields?: ReadonlySet<string>;
}

/** Makes the detection of formats by first bytes. Given values override detection. */
export function createFormatDetection({
  kind,
  csv,
  rowFields = new Set(),
}: GivenFormat): DetectFormat {
  return (sample, name) => {
    const hints = { name, csv, rowFields };
    refuseNotData(sample, name);
    return kind === undefined ? detect(sample, hints) : formats[kind].given(sample, hints);
  };
}

async function detect(sample: HeadSample, hints: DetectionHints): Promise<Format | null> {
  const { name } = hints;
  for (const { detect: detector } of Object.values(formats)) {
    const detected = (await detector?.(sample, hints)) ?? "none";
    if (detected === "undecided") return null;
    if (detected !== "none") return detected;
  }
  if (isBlank(sample.bytes)) return { kind: "ndjson" };
  const reason = "its first bytes are of no known format";
  throw new SourceError(
    "format_unknown",
    { source: name },
    `${reason}${findBinary(sample.bytes)}. Pass ${option("inputFormat")}, or leave the file out.`,
  );
}

/** Names the first byte that text does not have. */
function findBinary(head: Uint8Array): string {
  const index = head.indexOf(0);
  return index === -1 ? "" : `: byte ${index + 1} is 0x00, which text does not have`;
}

function isBlank(head: Uint8Array): boolean {
  return /^\ufeff?[ \t\r\n]*$/.test(Buffer.from(head).toString());
}

/** `before`: bytes in front of a range that its reader needs. */
function opener<F extends Format>(read: ReadBytes<F>, before = 0): OpenReader {
  return async (kernel, range, fields, options) => {
    const start = Math.max(0, range.start - before);
    const expectedEnd = isPlain(range.source)
      ? (range.end ?? range.source.size)
      : range.source.size;
    const opened = await openBytes(range.source, start, { ...options, kernel, expectedEnd });
    const { source } = range;
    const makesDigest = options.makesDigests === true && options.sound === undefined;
    if (!makesDigest || !isSampled(source))
      return read({ kernel, range, fields, bytes: opened, options }, source.format as F);
    const bytes = new DigestedBytes(kernel, opened, start);
    const reader = await read({ kernel, range, fields, bytes, options }, source.format as F);
    reader.digest = () => bytes.digest();
    return reader;
  };
}

/** Rows of one source share one object. */
const keptJson: Format = { kind: "json" };

function readJson(layout: RowLayout): ReadBytes<Format> {
  return ({ kernel, range, fields, bytes, options }) =>
    new JsonReader(kernel, range, fields, bytes, layout, options);
}

async function readValues(opened: OpenedRange, format: FormatOf<"json">): Promise<Reader> {
  if (format.keyed === undefined) return readArray(opened, format);
  const { KeyedBytes } = await import("../readers/json/keyed-bytes.js");
  const bytes = new KeyedBytes(opened.bytes, format.keyed, opened.range.source.name);
  return readArray({ ...opened, bytes }, format);
}

/** Bytes of the window for kept rows, which come in small groups. */
const KEPT_WINDOW_BYTES = 1 * MIB;

/**
 * Rows that an earlier run rejected; each is read as the format that it was kept in, with the path of the
 * source that it is from.
 */
async function readRejects({ range, bytes, options, ...opened }: OpenedRange): Promise<Reader> {
  const { RejectsReader } = await import("../readers/rejects/rejects-reader.js");
  const readRows = async (given: Format, kept: ByteSource, name = "") => {
    const format = keptFormat(given);
    const { readKept } = formatOf(format);
    if (readKept === undefined) throw new Error(`no rows are kept as ${format.kind}`);
    const inner = { source: { ...plainSource(range.source), format }, start: 0, end: null };
    const window = { ...options, windowBytes: KEPT_WINDOW_BYTES };
    const { kernel, fields } = opened;
    return openWithPath(kernel, { name }, fields, async (own) =>
      readKept({ kernel, fields: own, range: inner, bytes: kept, options: window }, format),
    );
  };
  return new RejectsReader(range, bytes, readRows, opened.fields.some(isPathField));
}

/** The format that a rejected row of a source is kept in. */
export function keptFormat(format: Format): Format {
  return formatOf(format).keptAs(format);
}

async function detectParsed(
  bytes: Uint8Array,
  hints: { readonly name: string; readonly complete: boolean },
  given: GivenDialect,
): Promise<CsvFormat> {
  const { detectParsedCsv } = await import("../readers/csv/detect-parsed.js");
  return { kind: "csv", ...detectParsedCsv(bytes, hints, given) };
}

const keptDialects = new WeakMap<CsvFormat, CsvFormat>();

/** A kept row comes without the lines of its file that are not rows. Rows of one source share one object. */
function keptCsv(format: CsvFormat): CsvFormat {
  const { header, skipLines, comment, ...dialect } = format;
  if (!header && (skipLines ?? comment) === undefined) return format;
  const known = keptDialects.get(format);
  if (known !== undefined) return known;
  const kept = { ...dialect, header: false };
  keptDialects.set(format, kept);
  return kept;
}

const AVRO_MAGIC = "Obj\x01";
const PARQUET_MAGIC = "PAR1";
const ENCRYPTED_PARQUET_MAGIC = "PARE";

function detectParquet({ bytes, extent }: HeadSample, { name }: DetectionHints): Detected {
  if (beginsWith(bytes, PARQUET_MAGIC)) return { kind: "parquet" };
  if (!beginsWith(bytes, ENCRYPTED_PARQUET_MAGIC)) return "none";
  // A column name may begin with these letters, too.
  if (!isBinary(bytes)) return extent === "part" ? "undecided" : "none";
  const reason = "the Parquet footer is encrypted. Export without encryption.";
  throw new SourceError("source_encrypted", { source: name }, reason);
}

function beginsWith(bytes: Uint8Array, magic: string): boolean {
  return Buffer.from(bytes.subarray(0, magic.length)).toString("latin1") === magic;
}
