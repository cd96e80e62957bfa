/**
 * Decompressed bytes of one source in order. Pull: the caller gives the memory, so that plain files
 * are read straight into the kernel.
 */
export interface ByteSource {
  /**
   * Fills the start of `target` with at least one byte; 0 is the end. Throws `SourceError` where the
   * source is broken; all bytes before the break have been given out by then.
   */
  read(target: Uint8Array): number | Promise<number>;
  /** Compressed bytes consumed so far, for progress. */
  readonly consumed: number;
  close(): Promise<void>;
}
