import { type Table, tableToIPC } from "apache-arrow";
import * as parquetWasm from "parquet-wasm/node";

export { Compression, Encoding } from "parquet-wasm/node";

export interface WriteOptions {
  readonly compression?: parquetWasm.Compression;
  /** Pages of format v2 instead of v1. */
  readonly v2?: boolean;
  /** Encoding of every column; without it they have dictionaries. */
  readonly encoding?: parquetWasm.Encoding;
  readonly rowGroupRows?: number;
  readonly pageBytes?: number;
}

/** Writes Parquet with the Rust library, which has encodings that DuckDB does not write. */
export function writeParquet(table: Table, options: WriteOptions = {}): Uint8Array {
  const { WriterPropertiesBuilder, WriterVersion, Compression } = parquetWasm;
  let builder = new WriterPropertiesBuilder()
    .setWriterVersion(options.v2 ? WriterVersion.V2 : WriterVersion.V1)
    .setCompression(options.compression ?? Compression.SNAPPY)
    .setDictionaryEnabled(options.encoding === undefined);
  if (options.encoding !== undefined) builder = builder.setEncoding(options.encoding);
  if (options.rowGroupRows !== undefined) {
    builder = builder.setMaxRowGroupSize(options.rowGroupRows);
  }
  if (options.pageBytes !== undefined) {
    builder = builder.setDataPageSizeLimit(options.pageBytes).setWriteBatchSize(64);
  }
  const ipc = tableToIPC(table, "stream");
  return parquetWasm.writeParquet(parquetWasm.Table.fromIPCStream(ipc), builder.build());
}
