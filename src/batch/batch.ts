import type { Column } from "./column.js";
import type { Kernel } from "./kernel.js";

/**
 * A value that the mapping asks of every row.
 * `text`: the decoded value (see `cellKinds`).
 * `json`: the value as a JSON token, strings with their quotes and escapes as they stood; values of
 * sources without types (CSV) become JSON strings. Strings have kind `string` here as well.
 * `rest`: a JSON object of all members of the object at `path` but those named in `except`.
 *
 * `path` is from the root of the row; `[]` is the row itself. A step into a text that holds a JSON
 * object enters it. For tabular sources the first step is a column; a column whose own name is the
 * path joined by dots is taken first.
 */
export interface FieldRequest {
  readonly path: readonly string[];
  readonly form: "text" | "json" | "rest";
  /** Only with `rest`: member names directly under `path`. */
  readonly except?: readonly string[];
}

/**
 * Rows of one source in columns. Everything in it is valid until the reader's next call. Rows that
 * could not be read are in it too, with a fault and null cells, so that every row is accounted for.
 */
export interface Batch {
  readonly kernel: Kernel;
  readonly rows: number;
  /** One column for each requested field, in the order of the request. */
  readonly columns: readonly Column[];
  /** Address of `rows` u8: 0 for a readable row, else one of the first six `rejectCodes`. */
  readonly faults: number;
  readonly raw: RawRows;
}

/**
 * The source's own bytes of a row and its place, for rejects and messages. Not for hot paths. For
 * sources without raw rows (Parquet) the bytes are the row's requested fields as a JSON object.
 */
export interface RawRows {
  /** 1-based number of the row in its source, header not counted, where the reader knows it. */
  number(row: number): number | undefined;
  /** 0-based offset of the row in the decompressed source, where there is one. */
  offset(row: number): number | undefined;
  /** Bytes of the row, without its line end; cut to REJECT_BYTES_MAX when it was too long. */
  bytes(row: number): Uint8Array;
  /**
   * Where the row came from in the first place, for rows that are not of the source being read but
   * only kept in it (rejects that are tried again).
   */
  origin?(row: number): RowOrigin | undefined;
  /** Human words for the row's fault: what was expected, what stood there. */
  explain(row: number): string;
}

/** Where a row stands, as far as its reader knows (`RawRows.number` and `offset`). */
export interface RowPlace {
  readonly source: string;
  readonly row?: number;
  readonly byte?: number;
}

/** The first place of a row that is tried again, as its reject line said. */
export interface RowOrigin extends RowPlace {
  /** How the raw bytes are to be read: plain data that the readers understand. */
  readonly format: unknown;
}
