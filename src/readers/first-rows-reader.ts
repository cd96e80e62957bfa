import type { Batch } from "../batch/batch.js";
import type { ReadDigest } from "../sources/digested-bytes.js";
import type { Source } from "../sources/source.js";
import type { MisplacedCommas, Reader, ReaderNotices } from "./reader.js";

/** Reads the first rows of a range and no bytes after the batch that holds the last of them. */
export class FirstRowsReader implements Reader {
  source?: Source;
  readonly digest?: () => ReadDigest;
  #left: number;

  constructor(
    private readonly reader: Reader,
    rows: number,
  ) {
    this.#left = rows;
    const { digest } = reader;
    if (digest !== undefined) this.digest = digest;
  }

  get consumed(): number {
    return this.reader.consumed;
  }

  get misplacedCommas(): MisplacedCommas | undefined {
    return this.reader.misplacedCommas;
  }

  get notices(): ReaderNotices {
    return this.reader.notices ?? {};
  }

  async next(): Promise<Batch | null> {
    const batch = this.#left === 0 ? null : await this.reader.next();
    if (batch === null) return null;
    const rows = Math.min(batch.rows, this.#left);
    this.#left -= rows;
    return rows === batch.rows ? batch : { ...batch, rows };
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}
