import type { RowsOptions, TextColumn } from "../row-buffer.js";

// Numbers of https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

export const parquetTypes = { int64: 2, byteArray: 6 } as const;
export const parquetRepetitions = { required: 0, optional: 1 } as const;
export const parquetConvertedTypes = { utf8: 0 } as const;
/** Field numbers of the union LogicalType. */
export const parquetLogicalTypes = { string: 1 } as const;
export const parquetCodecs = { uncompressed: 0, snappy: 1, gzip: 2, zstd: 6 } as const;
export const parquetPageTypes = { data: 0, dictionary: 2 } as const;

/**
 * `plainDictionary` is the name of format v1 for dictionary pages and their indexes. The bytes are
 * those of RLE_DICTIONARY, whose newer number some readers (parquetjs-lite) do not know.
 */
export const parquetEncodings = { plain: 0, plainDictionary: 2, rle: 3 } as const;

/** The first and last bytes of a file. */
export const PARQUET_MAGIC: Uint8Array = new TextEncoder().encode("PAR1");

/**
 * A column of the event files: texts, JSON texts, and the timestamp (INT64, epoch milliseconds).
 */
export type ParquetColumn =
  | { readonly name: "timestamp"; readonly kind: "timestamp" }
  | {
      readonly name: TextColumn;
      readonly kind: "text" | "json";
      readonly nullable: boolean;
      /** Try a dictionary: values of the column repeat. */
      readonly dictionary: boolean;
    };

/**
 * Returns the columns, in order. `timestamp` has no logical type: it is the number of the event. JSON texts
 * have the logical type STRING, not JSON: DuckDB checks JSON more strictly than RFC 8259, and one
 * escaped lone surrogate would break every query over all files.
 */
export function eventColumns({ withInsertID }: RowsOptions): readonly ParquetColumn[] {
  return withInsertID ? [...columns, insertIDColumn] : columns;
}

const columns: readonly ParquetColumn[] = [
  { name: "event", kind: "text", nullable: false, dictionary: true },
  { name: "timestamp", kind: "timestamp" },
  { name: "userID", kind: "text", nullable: true, dictionary: true },
  { name: "stableID", kind: "text", nullable: true, dictionary: true },
  { name: "value", kind: "text", nullable: true, dictionary: false },
  { name: "user", kind: "json", nullable: false, dictionary: false },
  { name: "metadata", kind: "json", nullable: false, dictionary: false },
];

/** Insert ids do not repeat, or hardly. */
const insertIDColumn: ParquetColumn = {
  name: "insertID",
  kind: "text",
  nullable: true,
  dictionary: false,
};
