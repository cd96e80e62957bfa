import { type FileHandle, open } from "node:fs/promises";
import {
  type AsyncRecordBatchFileReader,
  type Data,
  DataType,
  type RecordBatch,
  RecordBatchReader,
  TimeUnit,
} from "apache-arrow";
import { SourceError } from "../base/errors.js";
import { BATCH_ROWS_MAX } from "../base/limits.js";
import type { Batch, FieldRequest, RawRows } from "../batch/batch.js";
import { Column, cellKinds } from "../batch/column.js";
import { type Kernel, Region } from "../batch/kernel.js";
import type { Reader } from "../readers/reader.js";
import type { OpenPart, StoredPart } from "./open-part.js";

/** Opens an Arrow IPC file. Fields are columns of texts or of 64-bit integers, read as texts. */
export const openArrowPart: OpenPart = async (part, fields, { kernel, signal }) => {
  const file = await open(part.path);
  try {
    const batches = (await RecordBatchReader.from(file)) as AsyncRecordBatchFileReader;
    if (!batches.isFile()) throw unreadable(part, "it does not begin with the magic bytes ARROW1");
    return new ArrowPartReader(part, { file, batches, fields, kernel, signal });
  } catch (error) {
    await file.close();
    throw asSourceError(part, error);
  }
};

interface OpenArrowPart {
  readonly file: FileHandle;
  readonly batches: AsyncRecordBatchFileReader;
  readonly fields: readonly FieldRequest[];
  readonly kernel: Kernel;
  readonly signal: AbortSignal;
}

const noRawRows: RawRows = {
  number: () => undefined,
  offset: () => undefined,
  bytes: () => new Uint8Array(),
  explain: () => "",
};

class ArrowPartReader implements Reader {
  readonly #columns: readonly Column[];
  /** The bytes of the cells of each column. */
  readonly #cells: readonly Region[];
  readonly #faults: number;
  #batch: RecordBatch | undefined;
  /** Rows of the batch that were returned. */
  #row = 0;

  constructor(
    private readonly part: StoredPart,
    private readonly from: OpenArrowPart,
  ) {
    const { kernel, fields } = from;
    this.#columns = fields.map(() => new Column(kernel));
    this.#cells = fields.map(() => new Region(kernel, 0));
    this.#faults = kernel.allocate(BATCH_ROWS_MAX);
    kernel.bytes.fill(0, this.#faults, this.#faults + BATCH_ROWS_MAX);
  }

  /** Bytes of the part; known at its end only. */
  get consumed(): number {
    return this.#batch === undefined ? this.part.size : 0;
  }

  async next(): Promise<Batch | null> {
    const { kernel, fields, signal } = this.from;
    signal.throwIfAborted();
    try {
      while (this.#batch === undefined || this.#row === this.#batch.numRows) {
        const { done, value } = await this.from.batches.next();
        if (done === true) return null;
        this.#batch = value as RecordBatch;
        this.#row = 0;
      }
      const rows = Math.min(BATCH_ROWS_MAX, this.#batch.numRows - this.#row);
      for (const [index, { path }] of fields.entries()) this.#load(index, path.join("."), rows);
      this.#row += rows;
      return { kernel, rows, columns: this.#columns, faults: this.#faults, raw: noRawRows };
    } catch (error) {
      throw asSourceError(this.part, error);
    }
  }

  async close(): Promise<void> {
    for (const column of this.#columns) column.free();
    for (const cells of this.#cells) cells.free();
    this.from.kernel.free(this.#faults);
    await this.from.file.close();
  }

  #load(index: number, name: string, rows: number): void {
    const data = this.#batch?.getChild(name)?.data[0];
    if (data === undefined) throw unreadable(this.part, `it has no column ${name}`);
    const cells = DataType.isUtf8(data.type)
      ? textsOf(data, this.#row, rows)
      : isWholeNumber(data.type)
        ? integersOf(data, this.#row, rows)
        : undefined;
    if (cells === undefined) {
      throw unreadable(this.part, `column ${name} is ${data.type}, not a text or a 64-bit integer`);
    }
    const region = this.#cells[index]!;
    region.ensure(cells.bytes.length);
    this.from.kernel.bytes.set(cells.bytes, region.address);
    const column = this.#columns[index]!;
    for (let row = 0; row < rows; row++) {
      const [start, end] = [cells.offsets[row]!, cells.offsets[row + 1]!];
      const kind = data.getValid(this.#row + row) ? cells.kind : cellKinds.null;
      column.set(row, kind, region.address + start, end - start);
    }
  }
}

/** Contiguous cells: cell n is bytes [offsets[n], offsets[n + 1]). */
interface Cells {
  readonly kind: typeof cellKinds.string | typeof cellKinds.number;
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

function isWholeNumber(type: DataType): boolean {
  const isMs = DataType.isTimestamp(type) && type.unit === TimeUnit.MILLISECOND;
  return isMs || (DataType.isInt(type) && type.bitWidth === 64);
}

function textsOf(data: Data, from: number, rows: number): Cells {
  const offsets = (data.valueOffsets as Int32Array).subarray(from, from + rows + 1);
  const [start, end] = [offsets[0] ?? 0, offsets[rows] ?? 0];
  const bytes = (data.values as Uint8Array).subarray(start, end);
  const isOrdered = offsets.every((offset, row) => row === 0 || offset >= offsets[row - 1]!);
  if (!isOrdered || bytes.length !== end - start) throw new Error("offsets of texts are not valid");
  return { kind: cellKinds.string, bytes, offsets: offsets.map((offset) => offset - start) };
}

function integersOf(data: Data, from: number, rows: number): Cells {
  const offsets = new Int32Array(rows + 1);
  const texts: string[] = [];
  for (let row = 0; row < rows; row++) {
    const text = String((data.values as BigInt64Array)[from + row]);
    texts.push(text);
    offsets[row + 1] = offsets[row]! + text.length;
  }
  return { kind: cellKinds.number, bytes: Buffer.from(texts.join("")), offsets };
}

function unreadable({ name }: StoredPart, reason: string): SourceError {
  return new SourceError("source_corrupt", { source: name }, reason);
}

/**
 * Converts errors of the library: it throws errors of many classes for bytes that are not an Arrow
 * file.
 */
function asSourceError(part: StoredPart, error: unknown): unknown {
  const isSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  if (error instanceof SourceError || isSystem || part === undefined) return error;
  if ((error as Error).name === "AbortError") return error;
  return unreadable(part, `not a valid Arrow IPC file: ${(error as Error).message}`);
}
