import type { Batch } from "../batch/batch.js";
import type { Reader } from "./reader.js";
import { WrappedReader } from "./wrapped-reader.js";

/** Reads the first rows of a range and no bytes after the batch that holds the last of them. */
export class FirstRowsReader extends WrappedReader {
  #left: number;

  constructor(reader: Reader, rows: number) {
    super(reader);
    this.#left = rows;
  }

  async next(): Promise<Batch | null> {
    const batch = this.#left === 0 ? null : await this.reader.next();
    if (batch === null) return null;
    const rows = Math.min(batch.rows, this.#left);
    this.#left -= rows;
    return rows === batch.rows ? batch : { ...batch, rows };
  }
}
