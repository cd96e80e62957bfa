/** The compressions of pages; the first is the default. */
export const parquetCompressions = ["snappy", "none", "gzip", "zstd"] as const;
export type ParquetCompression = (typeof parquetCompressions)[number];
