/** A file of an output. */
export interface OutputFile {
  /** Relative to the output, with `/`. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * The files of one output, as programs on this machine read and write them: below a directory. It is the
 * output itself, or a copy of one in a store. A copy has what was fetched, and what was written and is not
 * published yet. Paths are relative to the output, with `/`. All methods throw `SwitchyardError`.
 */
export interface OutputFiles {
  /** Absolute. */
  readonly directory: string;
  readonly isCopy: boolean;
  /** The output as messages name it. */
  readonly address: string;
  /** Returns all files whose paths begin with `prefix`, which is empty or ends with `/`. */
  list(prefix: string): Promise<readonly OutputFile[]>;
  /** Returns the SHA-256 that the output keeps of a file, as hexadecimal digits; undefined if it keeps none. */
  digestOf(path: string): Promise<string | undefined>;
  /** Brings the content of files into the directory; those that do not exist are ignored. */
  fetch(paths: readonly string[]): Promise<void>;
  /** Brings bytes [start, end) of a file into the directory. */
  fetchBytes(path: string, start: number, end: number): Promise<void>;
  /** Removes files from the directory, if they are in the output too. */
  drop(paths: readonly string[]): Promise<void>;
  /**
   * Writes the files of the list that exist, each after the files that it lists. `digests`: known SHA-256
   * digests, as hexadecimal digits.
   */
  publish(paths: readonly string[], digests?: ReadonlyMap<string, string>): Promise<void>;
  /**
   * Publishes all files of the directory that are new or have changed, then removes what was there and is not
   * any more. Throws `output_changed` if another process has changed the output meanwhile.
   */
  save(): Promise<void>;
  /** Removes files from the output, in this order; those that do not exist are ignored. */
  remove(paths: readonly string[]): Promise<void>;
  /** Removes a directory of the ledger. After a kill, no record is left whose files are gone. */
  removeDirectory(path: string): Promise<void>;
}
