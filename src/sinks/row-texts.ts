import { type Kernel, LOOSE_BYTES, Region } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { textEncodingLayout } from "../batch/layouts.js";

/** Kernels that encode rows as lines or records: `encodeLines` in src/kernels/sink/jsonl.ts. */
interface TextKernel {
  /** Address of a `TextLayout`. */
  readonly layout: number;
  /** `encoding` is the address of a `TextEncoding`. */
  measure(encoding: number, row: number): number;
  encode(encoding: number, from: number, to: number): void;
  /** Cells that a spreadsheet would run begin with `'`. */
  readonly isSafe?: boolean;
}

/** Addresses of the rows' columns, in the order of `textColumnsOf`, and of their timestamps. */
interface RowColumns {
  readonly columnList: number;
  readonly timestamps: number;
}

/** Encodes rows as text, some at a time. Kernel memory is allocated once. */
export class RowTexts {
  readonly #region: Region;
  readonly #encoding: KernelRecord<keyof typeof textEncodingLayout.words>;

  constructor(
    private readonly kernel: Kernel,
    private readonly text: TextKernel,
    private readonly bytesMax: number,
  ) {
    this.#region = new Region(kernel, bytesMax + LOOSE_BYTES);
    this.#encoding = new KernelRecord(kernel, textEncodingLayout);
    this.#encoding.set("layout", text.layout);
    this.#encoding.set("safe", text.isSafe === true ? 1 : 0);
  }

  /** The text of the last `encode`; a view that is valid until the next one. */
  get bytes(): Uint8Array {
    const { address } = this.#region;
    return this.kernel.bytes.subarray(address, address + this.#encoding.get("bytes"));
  }

  /**
   * Encodes the rows at indexes [start, end) of the order (address of u32 row numbers): at least
   * one row, and as many as fit into `bytesMax`. Returns the index after the last of them.
   */
  encode(columns: RowColumns, order: number, start: number, end: number): number {
    const { kernel, text, bytesMax } = this;
    const { columnList, timestamps } = columns;
    const encoding = this.#encoding;
    encoding.set("columns", columnList);
    encoding.set("timestamps", timestamps);
    encoding.set("order", order);
    this.#encode(start, end, bytesMax);
    const next = encoding.get("next");
    if (next > start) return next;
    // A row that may not fit is encoded alone.
    const row = kernel.u32[order / 4 + start] ?? 0;
    const rowBytesMax = text.measure(encoding.address, row);
    this.#region.ensure(rowBytesMax + LOOSE_BYTES);
    this.#encode(start, start + 1, rowBytesMax);
    return start + 1;
  }

  #encode(start: number, end: number, bytesMax: number): void {
    this.#encoding.set("target", this.#region.address);
    this.#encoding.set("bytesMax", bytesMax);
    this.text.encode(this.#encoding.address, start, end);
  }
}
