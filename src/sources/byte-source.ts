/**
 * The decompressed bytes of one source, in order. The caller provides the memory, so that plain files
 * are read straight into the kernel.
 */
export interface ByteSource {
  /**
   * Fills the start of `target` with at least one byte; returns 0 at the end. Throws `SourceError` for a
   * broken source, after all bytes before the break.
   */
  read(target: Uint8Array): number | Promise<number>;
  /** Compressed bytes consumed so far, for progress. */
  readonly consumed: number;
  close(): Promise<void>;
}

/** Returns a source of bytes that are in memory. */
export function bytesInMemory(bytes: Uint8Array): ByteSource {
  let position = 0;
  return {
    get consumed() {
      return position;
    },
    read(target) {
      const part = bytes.subarray(position, position + target.length);
      target.set(part);
      position += part.length;
      return part.length;
    },
    close: async () => {},
  };
}
