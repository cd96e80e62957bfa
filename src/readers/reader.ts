import type { Batch, FieldRequest } from "../batch/batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";
import type { SourceRange } from "./source.js";

/** Rows of one source range, batch by batch. */
export interface Reader {
  /**
   * The next batch, or null at the end. Releases the batch before. Throws `SourceError` where the
   * source is broken, after all whole rows before the break have been given out; a row cut off by
   * the break is not a row.
   */
  next(): Promise<Batch | null>;
  /** Bytes of `Source.size` consumed so far, for progress. */
  readonly consumed: number;
  close(): Promise<void>;
}

export interface ReaderOptions {
  /** Bytes of one row; longer ones are `row_too_long`. */
  readonly rowBytesMax: number;
  /** Decompressed bytes per compressed byte of one source. */
  readonly ratioMax: number;
  /** A directory for what must be spooled to disk (Parquet inside an archive). */
  readonly temporaryDirectory: string;
  readonly signal: AbortSignal;
}

/** Opens a range; each row of `formats.ts` has one. */
export type OpenReader = (
  kernel: Kernel,
  range: SourceRange,
  fields: readonly FieldRequest[],
  options: ReaderOptions,
) => Promise<Reader>;

/** A range with its bytes, or rows of it that an earlier run rejected. */
export interface OpenedRange {
  readonly kernel: Kernel;
  readonly range: SourceRange;
  readonly fields: readonly FieldRequest[];
  readonly bytes: ByteSource;
  /** `windowBytes`: of the window before long rows grow it. */
  readonly options: ReaderOptions & { readonly windowBytes?: number };
}
