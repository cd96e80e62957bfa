import { type Kernel, Region } from "../batch/kernel.js";
import { LOOSE_BYTES } from "./row-buffer.js";

/**
 * Kernels that encode rows as lines or records; the shape of `encodeLines` in
 * src/kernels/sink/jsonl.ts.
 */
export interface TextKernel {
  measure(columns: number, row: number): number;
  encode(
    columns: number,
    timestamps: number,
    order: number,
    from: number,
    to: number,
    target: number,
    bytesMax: number,
    result: number,
  ): void;
}

/** Addresses of the rows' columns, in the order of `textColumns`, and of their timestamps. */
export interface RowColumns {
  readonly columnList: number;
  readonly timestamps: number;
}

export function jsonlKernel({ run }: Kernel): TextKernel {
  return { measure: run.measureLine, encode: run.encodeLines };
}

/** Encodes rows as text, some at a time. Kernel memory is allocated once. */
export class RowTexts {
  readonly #region: Region;
  readonly #result: number;

  constructor(
    private readonly kernel: Kernel,
    private readonly text: TextKernel,
    private readonly bytesMax: number,
  ) {
    this.#region = new Region(kernel, bytesMax + LOOSE_BYTES);
    this.#result = kernel.allocate(8);
  }

  /** The text of the last `encode`; a view that is valid until the next one. */
  get bytes(): Uint8Array {
    const { kernel } = this;
    const length = kernel.words[this.#result / 4 + 1] ?? 0;
    return kernel.bytes.subarray(this.#region.address, this.#region.address + length);
  }

  /**
   * Encodes the rows at indexes [start, end) of the order (address of u32 row numbers): at least
   * one row, and as many as fit into `bytesMax`. Returns the index after the last of them.
   */
  encode(columns: RowColumns, order: number, start: number, end: number): number {
    const { kernel, text, bytesMax } = this;
    const { columnList, timestamps } = columns;
    const target = this.#region.address;
    text.encode(columnList, timestamps, order, start, end, target, bytesMax, this.#result);
    const next = kernel.words[this.#result / 4] ?? 0;
    if (next > start) return next;
    // A row that may not fit is encoded alone.
    const row = kernel.words[order / 4 + start] ?? 0;
    const rowBytesMax = text.measure(columnList, row);
    this.#region.ensure(rowBytesMax + LOOSE_BYTES);
    const grown = this.#region.address;
    text.encode(columnList, timestamps, order, start, start + 1, grown, rowBytesMax, this.#result);
    return start + 1;
  }
}
