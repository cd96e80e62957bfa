import type { SourceError } from "../base/errors.js";
import type { Batch, FieldRequest } from "../batch/batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { S3Options } from "../store/object-store.js";
import type { ByteSource } from "./byte-source.js";
import type { ReadDigest } from "./digested-bytes.js";
import type { Source, SourceBytes, SourceRange } from "./source.js";

/** The first bytes of a source, and the error in which they end. */
export interface SoundBytes {
  readonly bytes: number;
  readonly error: SourceError;
}

/** Gaps between the rows of a JSON array with too many or too few commas. */
export interface MisplacedCommas {
  readonly places: number;
  /** 0-based offset in the decompressed source, after the first of them. */
  readonly byte: number;
}

/** Counts of what was skipped because it is not a row; files that were joined have it. */
export interface ReaderNotices {
  readonly byte_order_mark_skipped?: number;
  readonly header_repeated?: number;
}

/** Rows of one source range, batch by batch. */
export interface Reader {
  /**
   * Returns the next batch, or null at the end. Releases the previous batch. Throws `SourceError` for a
   * broken source, after all whole rows before the break; a row that the break cuts does not count.
   */
  next(): Promise<Batch | null>;
  /** Bytes of `Source.size` consumed so far, for progress. */
  readonly consumed: number;
  /** The source as its bytes are, if the plan did not know. */
  source?: Source;
  /** Found so far; the rows around them are read. */
  readonly misplacedCommas?: MisplacedCommas | undefined;
  /** Found so far. */
  readonly notices?: ReaderNotices;
  /** Returns the checksum of what was read of a plain file that its fingerprint only samples. */
  digest?: () => ReadDigest;
  close(): Promise<void>;
}

/** Bytes of an object from byte `start` on. */
export interface FetchedBytes {
  readonly start: number;
  readonly bytes: Uint8Array;
}

export interface ReaderOptions {
  /** Bytes of one row; longer rows are rejected as `row_too_long`. */
  readonly rowBytesMax: number;
  /** Decompressed bytes per compressed byte of one source. */
  readonly ratioMax: number;
  /** A directory for decompressed copies of sources that are read at any position (Parquet). */
  readonly temporaryDirectory: string;
  readonly signal: AbortSignal;
  /** Address of object stores, and the style of calls. */
  readonly s3?: S3Options | undefined;
  /** Bytes of an object that were fetched already. */
  readonly fetched?: FetchedBytes | undefined;
  /** The bytes to read of a compressed source whose rest an earlier reading found altered. */
  readonly sound?: SoundBytes;
  /** Absent if all threads have splits to read. */
  readonly openAhead?: OpenAhead | undefined;
}

/**
 * Opens a local file that another thread decompresses ahead of its reader. Returns undefined if that does
 * not pay.
 */
export type OpenAhead = (
  source: SourceBytes,
  limits: Pick<ReaderOptions, "ratioMax">,
) => ByteSource | undefined;

/** Opens a range with the reader of its format. */
export type OpenReader = (
  kernel: Kernel,
  range: SourceRange,
  fields: readonly FieldRequest[],
  options: ReaderOptions,
) => Promise<Reader>;

/** A range with its opened bytes, or with rows of it that an earlier run rejected. */
export interface OpenedRange {
  readonly kernel: Kernel;
  readonly range: SourceRange;
  readonly fields: readonly FieldRequest[];
  readonly bytes: ByteSource;
  /** `windowBytes`: size of the window before long rows grow it. */
  readonly options: ReaderOptions & { readonly windowBytes?: number };
}
