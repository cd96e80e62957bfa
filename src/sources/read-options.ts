import type { SourceError } from "../base/errors.js";
import type { Kernel } from "../batch/kernel.js";
import type { S3Options } from "../store/object-store.js";
import type { ByteSource } from "./byte-source.js";
import type { SourceBytes } from "./source.js";

/** The first bytes of a source, and the error in which they end. */
export interface SoundBytes {
  readonly bytes: number;
  readonly error: SourceError;
}

/** Bytes of an object from byte `start` on. */
export interface FetchedBytes {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** How the bytes of sources are read, and their limits. */
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
  /** Make checksums of what is read, for the records that a later run compares files with. */
  readonly makesDigests?: boolean;
  /** Path of the list in each row whose elements are the rows; absent if the rows themselves are. */
  readonly rows?: readonly string[] | undefined;
  /** Bytes of the window of rows before long rows grow it. */
  readonly windowBytes?: number;
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

export interface OpenOptions
  extends Pick<ReaderOptions, "ratioMax" | "signal" | "sound" | "s3" | "fetched" | "openAhead"> {
  /** Decodes gzip and deflate. If absent, a kernel that the thread's callers share. */
  readonly kernel?: Kernel;
  /** Decompressed bytes of gzip that are decoded at a time; DECODE_CHUNK_BYTES if absent. */
  readonly chunkBytes?: number;
  /** Byte of the file up to which all will be read; absent if the reader may stop early. */
  readonly expectedEnd?: number | undefined;
}
