import * as zlib from "node:zlib";
import { UsageError } from "../../base/errors.js";
import { PAGE_BYTES } from "../../base/limits.js";
import { type Kernel, Region } from "../../batch/kernel.js";
import type { ParquetCompression } from "./parquet-compressions.js";
import { parquetCodecs } from "./parquet-schema.js";

/** Compresses pages that lie in kernel memory. */
export interface PageCompression {
  /** Number of the codec in Parquet. */
  readonly codec: number;
  /** The result is valid until the next call. */
  compress(start: number, length: number): Uint8Array;
}

/** Throws `UsageError` (`compression_unavailable`) if this version of Node has no such codec. */
export function createPageCompression(
  kernel: Kernel,
  compression: ParquetCompression,
): PageCompression {
  const page = (start: number, length: number) => kernel.bytes.subarray(start, start + length);
  switch (compression) {
    case "none":
      return { codec: parquetCodecs.uncompressed, compress: page };
    case "snappy":
      return createSnappy(kernel);
    case "gzip":
      return {
        codec: parquetCodecs.gzip,
        compress: (start, length) => zlib.gzipSync(page(start, length)),
      };
    case "zstd": {
      const zstd = zstdCompress();
      return { codec: parquetCodecs.zstd, compress: (start, length) => zstd(page(start, length)) };
    }
  }
}

function createSnappy(kernel: Kernel): PageCompression {
  const region = new Region(kernel, kernel.run.snappyBytesMax(2 * PAGE_BYTES));
  return {
    codec: parquetCodecs.snappy,
    compress(start, length) {
      region.ensure(kernel.run.snappyBytesMax(length));
      const size = kernel.run.snappyCompress(start, length, region.address);
      return kernel.bytes.subarray(region.address, region.address + size);
    },
  };
}

/** The types of the oldest supported Node do not have it. */
function zstdCompress(): (bytes: Uint8Array) => Uint8Array {
  const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Uint8Array };
  if (zstdCompressSync === undefined) {
    throw new UsageError(
      "compression_unavailable",
      `zstd needs Node 22.15 or newer and this is ${process.versions.node}: choose snappy or gzip`,
    );
  }
  return zstdCompressSync;
}
