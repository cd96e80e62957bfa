// Numbers of https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

export const parquetTypes = { int64: 2, byteArray: 6 } as const;
export const parquetRepetitions = { required: 0, optional: 1 } as const;
export const parquetConvertedTypes = { utf8: 0 } as const;
/** Field numbers of the union LogicalType. */
export const parquetLogicalTypes = { string: 1 } as const;
export const parquetCodecs = { uncompressed: 0, snappy: 1, gzip: 2, zstd: 6 } as const;
export const parquetPageTypes = { data: 0, dictionary: 2 } as const;

/**
 * `plainDictionary` is what format v1 calls dictionary pages and indexes to them; the bytes are those
 * of RLE_DICTIONARY, which some readers (parquetjs-lite) do not know by its newer number.
 */
export const parquetEncodings = { plain: 0, plainDictionary: 2, rle: 3 } as const;

/** What begins and ends a file. */
export const PARQUET_MAGIC: Uint8Array = new TextEncoder().encode("PAR1");
