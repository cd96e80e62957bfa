import type { Column } from "./column.js";
import type { Kernel } from "./kernel.js";

/**
 * A value that the mapping requests from every row.
 * `text`: the decoded value (see `cellKinds`).
 * `json`: the value as a JSON token. Strings keep their quotes and escapes; values of sources
 * without types (CSV) become JSON strings. Strings have kind `string` here as well.
 * `rest`: a JSON object of all members of the object at `path` except those named in `except`.
 *
 * `path` starts at the root of the row; `[]` is the row itself. A step into a text that holds a
 * JSON object enters that object. For tabular sources the first step is a column; a column whose
 * own name is the path joined by dots takes precedence.
 */
export interface FieldRequest {
  readonly path: readonly string[];
  readonly form: "text" | "json" | "rest";
  /** Only with `json`: a scalar is meant. A text that a source declares to be JSON is then decoded, as with `text`. */
  readonly isScalar?: true;
  /**
   * Only with `text`: the path of another requested text. The value is used only in rows where that text is
   * null or empty; in other rows the cell may be null, and the reader need not look at the value.
   */
  readonly fallbackOf?: readonly string[];
  /** Only with `rest`: member names directly under `path`. */
  readonly except?: readonly string[];
}

/**
 * Rows of one source in columns, valid until the reader's next call. Rows that could not be read
 * are included with a fault and null cells, so that every row is accounted for.
 */
export interface Batch {
  readonly kernel: Kernel;
  readonly rows: number;
  /** One column for each requested field, in the order of the request. */
  readonly columns: readonly Column[];
  /** Address of `rows` u8: 0 for a readable row, otherwise one of the first eight `rejectCodes`. */
  readonly faults: number;
  readonly raw: RawRows;
}

/**
 * The source's bytes of a row and its position, for rejects and messages; not for hot paths. For
 * sources without raw rows (Parquet) the bytes are the row's requested fields as a JSON object.
 */
export interface RawRows {
  /** Returns the 1-based number of the row in its source, without the header, if known. */
  number(row: number): number | undefined;
  /** Returns the 0-based offset of the row in the decompressed source, if it has one. */
  offset(row: number): number | undefined;
  /** Returns the bytes of the row without its line end, cut to REJECT_BYTES_MAX if too long. */
  bytes(row: number): Uint8Array;
  /** Returns the original position of a row that was kept in another source (a retried reject). */
  origin?(row: number): RowOrigin | undefined;
  /** Returns the whole row as an object, for samples; undefined if it cannot. Absent for sources without raw rows. */
  members?(row: number): Readonly<Record<string, unknown>> | undefined;
  /** Describes the row's fault: the expected value and the actual one. */
  explain(row: number): string;
}

/** The position of a row, as far as its reader knows it (`RawRows.number` and `offset`). */
export interface RowPlace {
  readonly source: string;
  readonly row?: number;
  readonly byte?: number;
  /** 1-based number of an element of the row, if elements are rows: `3`, or `2.3` in lists of lists. */
  readonly element?: string;
}

/** The original position of a retried row, from its reject line. */
export interface RowOrigin extends RowPlace {
  /** The format of the raw bytes: plain data that the readers understand. */
  readonly format: unknown;
}
