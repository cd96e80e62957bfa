import { BATCH_ROWS_MAX } from "../base/limits.js";
import type { Kernel } from "./kernel.js";
import { placeRecord } from "./kernel-record.js";
import { columnLayout } from "./layouts.js";

/**
 * The type of a cell. `string`: the bytes are its UTF-8 text, unescaped, without quotes.
 * `number` … `array`: the bytes are JSON text, exactly as in the source.
 * `malformedString`: a JSON string with a lone surrogate; the bytes are its escaped text without
 * quotes, because it has no UTF-8.
 */
export const cellKinds = {
  null: 0,
  string: 1,
  number: 2,
  boolean: 3,
  object: 4,
  array: 5,
  malformedString: 6,
} as const;

export type CellKind = (typeof cellKinds)[keyof typeof cellKinds];

/**
 * A column of byte strings in Arrow's list-view layout. Each row has the address and length of its
 * bytes, which stay where the producer has them (mostly in the input window), and a kind instead of
 * Arrow's validity bit. Cells of kind `null` have undefined address and length.
 *
 * Offsets over one contiguous buffer would need a copy of every byte. Here the reader points into
 * its window, and the sink gathers straight from there.
 */
export class Column {
  /** Address of the descriptor that kernels take. */
  readonly address: number;
  /** Address of `BATCH_ROWS_MAX` u32 addresses. */
  readonly starts: number;
  /** Address of `BATCH_ROWS_MAX` u32 lengths in bytes. */
  readonly lengths: number;
  /** Address of `BATCH_ROWS_MAX` u8 kinds. */
  readonly kinds: number;

  constructor(
    private readonly kernel: Kernel,
    rowsMax = BATCH_ROWS_MAX,
  ) {
    this.starts = kernel.allocate(rowsMax * 4);
    this.lengths = kernel.allocate(rowsMax * 4);
    this.kinds = kernel.allocate(rowsMax);
    const { starts, lengths, kinds } = this;
    this.address = placeRecord(kernel, columnLayout, { starts, lengths, kinds });
  }

  kind(row: number): CellKind {
    return this.kernel.bytes[this.kinds + row] as CellKind;
  }

  /** Returns the number of bytes of a cell that is not null. */
  length(row: number): number {
    return this.kernel.u32[this.lengths / 4 + row]!;
  }

  /** Returns a view of the cell's bytes, valid until memory grows or the batch is released. */
  bytes(row: number): Uint8Array {
    const start = this.kernel.u32[this.starts / 4 + row]!;
    return this.kernel.bytes.subarray(start, start + this.length(row));
  }

  /** Returns the cell's text; undefined for null. For messages, tests and slow paths. */
  text(row: number): string | undefined {
    return this.kind(row) === cellKinds.null ? undefined : decoder.decode(this.bytes(row));
  }

  /** Returns the number of bytes in the non-null cells of rows [0, rows). */
  totalBytes(rows: number): number {
    return this.kernel.run.totalBytes(this.address, rows);
  }

  set(row: number, kind: CellKind, start: number, length: number): void {
    this.kernel.bytes[this.kinds + row] = kind;
    this.kernel.u32[this.starts / 4 + row] = start;
    this.kernel.u32[this.lengths / 4 + row] = length;
  }

  free(): void {
    for (const address of [this.address, this.starts, this.lengths, this.kinds]) {
      this.kernel.free(address);
    }
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
