import type { ValueType } from "../../../batch/arrow-node.js";
import { type DecodedRows, decodeRows } from "./page-decoder.js";

/** The rows of a file of pages, decoded some at a time so that the values stay few. */
export class PageFileRows {
  constructor(
    private readonly file: Uint8Array,
    private readonly types: readonly ValueType[],
    private readonly rows: number,
    /** Rows that are decoded at once. */
    private readonly rowsMax: number,
    /** Rows that have been given out. */
    public given: number,
  ) {}

  get left(): number {
    return this.rows - this.given;
  }

  /** Throws `DecodeError`. */
  next(): DecodedRows {
    const rows = Math.min(this.left, this.rowsMax);
    const decoded = decodeRows(this.file, this.types, { start: this.given, rows });
    this.given += rows;
    return decoded;
  }
}

/**
 * Rows to decode at once so that their values take about `bytesMax`. Every piece goes through the
 * pages again, so pieces are never smaller than twice the pages' own size.
 */
export function rowsAtOnce(
  rows: number,
  { valueBytes, pageBytes }: { readonly valueBytes: number; readonly pageBytes: number },
  bytesMax: number,
): number {
  const pieces = Math.ceil(valueBytes / Math.max(bytesMax, 2 * pageBytes));
  return Math.max(1, Math.ceil(rows / Math.max(1, pieces)));
}
