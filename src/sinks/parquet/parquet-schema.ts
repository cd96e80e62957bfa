import type { TextType } from "../../batch/text-types.js";
import {
  columnsOf,
  isJson,
  isRequired,
  needsInsertID,
  type RowsOptions,
  type TextColumn,
  timestampUnits,
} from "../output-columns.js";

// Numbers of https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

const parquetTypes = { int64: 2, double: 5, byteArray: 6 } as const;
export const parquetRepetitions = { required: 0, optional: 1 } as const;
export const parquetConvertedTypes = { utf8: 0, timestampMillis: 9 } as const;
/** Field numbers of the union LogicalType. */
export const parquetLogicalTypes = { string: 1, timestamp: 8 } as const;
export const parquetCodecs = { uncompressed: 0, snappy: 1, gzip: 2, zstd: 6 } as const;
export const parquetPageTypes = { data: 0, dictionary: 2 } as const;

/**
 * `plainDictionary` is the name of format v1 for dictionary pages and their indexes. The bytes are
 * those of RLE_DICTIONARY, whose newer number some readers (parquetjs-lite) do not know.
 */
export const parquetEncodings = { plain: 0, plainDictionary: 2, rle: 3 } as const;

/** The first and last bytes of a file. */
export const PARQUET_MAGIC: Uint8Array = new TextEncoder().encode("PAR1");

/** A column of the event files: texts, JSON texts, texts as numbers, and the timestamp (INT64). */
export type ParquetColumn =
  | {
      readonly name: string;
      readonly kind: "timestamp";
      readonly unitMs: number;
      /** It has the logical type TIMESTAMP, in milliseconds. */
      readonly isLogical: boolean;
    }
  | {
      readonly name: string;
      readonly source: TextColumn;
      readonly kind: "number";
      readonly type: TextType;
    }
  | {
      readonly name: string;
      readonly source: TextColumn;
      readonly kind: "text" | "json";
      readonly nullable: boolean;
      /** Try a dictionary: values of the column may repeat. */
      readonly dictionary: boolean;
    };

/**
 * Returns the columns, in order. `timestamp` has no logical type unless asked for: it is the number of the event. JSON texts
 * have the logical type STRING, not JSON: DuckDB checks JSON more strictly than RFC 8259, and one
 * escaped lone surrogate would break every query over all files.
 */
export function parquetColumns(options: RowsOptions): readonly ParquetColumn[] {
  return columnsOf(options, "columns").map(({ name, source, unit, type }) => {
    if (source === "timestamp") {
      const isLogical = unit === "timestamp";
      return { name, kind: "timestamp", unitMs: timestampUnits[unit], isLogical };
    }
    if (type !== undefined) return { name, source, kind: "number", type };
    return {
      name,
      source,
      kind: isJson(source) ? "json" : "text",
      nullable: !isRequired(source),
      dictionary: !needsInsertID(source),
    };
  });
}

/** Returns the physical type of a column. */
export function physicalType(column: ParquetColumn): number {
  const { int64, double, byteArray } = parquetTypes;
  if (column.kind === "timestamp") return int64;
  if (column.kind === "number") return column.type === "double" ? double : int64;
  return byteArray;
}
