import type { Batch, FieldRequest } from "../batch/batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "../sources/byte-source.js";
import type { ReadDigest } from "../sources/digested-bytes.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Source, SourceRange } from "../sources/source.js";

/** Gaps between the rows of a JSON array with too many or too few commas. */
export interface MisplacedCommas {
  readonly places: number;
  /** 0-based offset in the decompressed source, after the first of them. */
  readonly byte: number;
}

/** Counts of what was skipped because it is not a row, as in files that were joined, and of recoded rows. */
export interface ReaderNotices {
  readonly byte_order_mark_skipped?: number;
  readonly header_repeated?: number;
  /** Rows that are not UTF-8 and were read as windows-1252. */
  readonly row_recoded?: number;
  /** Rows whose list of rows is null, missing or empty. */
  readonly row_without_elements?: number;
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
  readonly options: ReaderOptions;
}
