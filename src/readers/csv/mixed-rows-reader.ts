import { rejectCodes } from "../../base/reject-codes.js";
import type { Batch } from "../../batch/batch.js";
import type { Column } from "../../batch/column.js";
import { type ByteSource, bytesInMemory } from "../../sources/byte-source.js";
import type { Reader, ReaderNotices } from "../reader.js";
import { WrappedReader } from "../wrapped-reader.js";
import { fromWindows1252 } from "./csv-encoding.js";

/** Opens a reader of the same fields for recoded rows, whose bytes it has in memory at the same time. */
type OpenRecoded = (bytes: ByteSource, length: number) => Promise<Reader>;

const LINE_END = Buffer.from("\n");

/**
 * Reads rows that are UTF-8 or else windows-1252, each as a whole. Rows that are not UTF-8 are faulty in the
 * batches of `reader`; their cells are replaced by those of the recoded rows. Their raw bytes stay.
 */
export class MixedRowsReader extends WrappedReader {
  #recoded: Reader | undefined;
  #rows = 0;

  constructor(
    reader: Reader,
    private readonly openRecoded: OpenRecoded,
  ) {
    super(reader);
  }

  override get notices(): ReaderNotices {
    return { ...super.notices, row_recoded: this.#rows };
  }

  async next(): Promise<Batch | null> {
    await this.#release();
    const batch = await this.reader.next();
    if (batch === null) return null;
    const rows = rowsToRecode(batch);
    if (rows.length > 0) await this.#recode(batch, rows);
    return batch;
  }

  override async close(): Promise<void> {
    await this.#release();
    await super.close();
  }

  /** Ends the reader of recoded rows: the cells of the last batch are in its memory. */
  async #release(): Promise<void> {
    const recoded = this.#recoded;
    this.#recoded = undefined;
    await recoded?.close();
  }

  async #recode(batch: Batch, rows: readonly number[]): Promise<void> {
    // No line end after the last row: a backslash at its end would escape it.
    const texts = rows.flatMap((row) => [LINE_END, fromWindows1252(batch.raw.bytes(row))]);
    const bytes = Buffer.concat(texts.slice(1));
    this.#recoded = await this.openRecoded(bytesInMemory(bytes), bytes.length);
    const recoded = await this.#recoded.next();
    // Rows that are not records of their own stay rejected.
    if (recoded?.rows !== rows.length) return;
    const { kernel, faults } = batch;
    for (const [index, row] of rows.entries()) {
      kernel.bytes[faults + row] = kernel.bytes[recoded.faults + index]!;
      if (kernel.bytes[faults + row] === 0) this.#rows++;
    }
    for (const [field, column] of batch.columns.entries()) {
      copyCells(batch, rows, column, recoded.columns[field]!);
    }
  }
}

function rowsToRecode({ kernel, rows, faults }: Batch): readonly number[] {
  const found: number[] = [];
  const codes = kernel.bytes.subarray(faults, faults + rows);
  const code = rejectCodes.invalid_utf8;
  for (let row = codes.indexOf(code); row >= 0; row = codes.indexOf(code, row + 1)) found.push(row);
  return found;
}

function copyCells({ kernel }: Batch, rows: readonly number[], to: Column, from: Column): void {
  const { bytes, u32 } = kernel;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!;
    bytes[to.kinds + row] = bytes[from.kinds + index]!;
    u32[to.starts / 4 + row] = u32[from.starts / 4 + index]!;
    u32[to.lengths / 4 + row] = u32[from.lengths / 4 + index]!;
  }
}
