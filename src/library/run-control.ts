/** Signal and callbacks of a run. */
export interface RunControl {
  /** Shuts the run down cleanly: it resolves with the outcome `interrupted` and can be resumed. */
  readonly signal?: AbortSignal | undefined;
  /** Called about twice a second, and once at the end. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with notices, e.g. when a run is resumed or fewer threads are used than requested. */
  readonly onNote?: ((text: string) => void) | undefined;
}

/** A moment of a run. Bytes are bytes on disk. */
export interface Progress {
  /**
   * `keys`: all rows are read a first time, to find repeated events. `merging`: all rows are read,
   * and rows that were spilled are written to their days.
   */
  readonly phase: "reading" | "keys" | "merging";
  readonly bytesDone: number;
  readonly bytesTotal: number;
  /** Rows that this run has read; in the phase `merging`, rows that it has merged. */
  readonly rows: number;
  /** Rows that this run has rejected. */
  readonly rejects: number;
}
