import { join } from "node:path";
import { FOOTER_BYTES_MAX, PART_BYTES, SEGMENT_BYTES, SEGMENT_ROWS_MAX } from "../base/limits.js";
import type { Zone } from "../base/zone.js";
import type { Kernel } from "../batch/kernel.js";
import { DayDirectorySplit } from "./day-directory-split.js";
import { DayOrder } from "./day-order.js";
import type { ParquetCompression } from "./parquet/page-compression.js";
import { createParquetFormat } from "./parquet/parquet-format.js";
import { diskFiles, type PartFiles, withOutputErrors } from "./part-files.js";
import type { PartFormat } from "./part-format.js";
import { WriteBuffer } from "./part-output.js";
import { Segment } from "./segment.js";
import type { Sink } from "./sink.js";
import { createCsvFormat, createJsonlFormat, createJsonlGzipFormat } from "./text-format.js";

export const partFormats = ["parquet", "jsonl", "jsonl.gz", "csv"] as const;
export type PartFormatName = (typeof partFormats)[number];

export interface DayDirectoryOptions {
  /** Absolute. */
  readonly outputDirectory: string;
  /** Name of the directory that holds the days. */
  readonly dataset?: string;
  readonly format: PartFormatName;
  /** Zone that decides which day a timestamp belongs to. */
  readonly dayZone: Zone;
  /** A part that has reached so many bytes is followed by the next one. */
  readonly partBytes?: number;
  /** Only for Parquet. */
  readonly compression?: ParquetCompression;
  /** Only for CSV: cells that a spreadsheet would run as a formula begin with `'`. */
  readonly csvSafe?: boolean;
  readonly files?: PartFiles;
}

/**
 * One directory per day: `<output>/<dataset>/<YYYY-MM-DD>/part-<split>-<number>.<extension>`. The
 * bytes of the files are a function of the events and the options. Memory is taken once, here, and
 * grows only for a single row that is longer than a segment. Throws `UsageError` where the
 * compression is not available.
 */
export function createDayDirectorySink(kernel: Kernel, options: DayDirectoryOptions): Sink {
  const { outputDirectory, dataset = "events", dayZone, partBytes = PART_BYTES } = options;
  const format = createFormat(kernel, options);
  // A smaller segment where parts are small, so that a part does not pass its size by much.
  const segmentBytes = Math.min(SEGMENT_BYTES, partBytes);
  const use = options.format.startsWith("jsonl") ? "lines" : "columns";
  const segment = new Segment(kernel, segmentBytes, use);
  const order = new DayOrder(kernel, SEGMENT_ROWS_MAX);
  const buffer = new WriteBuffer();
  const files = withOutputErrors(options.files ?? diskFiles);
  return {
    openSplit: (splitId) =>
      new DayDirectorySplit({
        segment,
        order,
        dayZone,
        outputDirectory,
        parts: {
          files,
          buffer,
          format,
          partBytes,
          heldBytesMax: FOOTER_BYTES_MAX,
          splitId,
          dataset,
          temporaryDirectory: join(outputDirectory, "_switchyard", "tmp", splitId),
        },
      }),
  };
}

function createFormat(kernel: Kernel, options: DayDirectoryOptions): PartFormat {
  switch (options.format) {
    case "parquet":
      return createParquetFormat(kernel, options.compression ?? "snappy");
    case "jsonl":
      return createJsonlFormat(kernel);
    case "jsonl.gz":
      return createJsonlGzipFormat(kernel);
    case "csv":
      return createCsvFormat(kernel, options.csvSafe ?? false);
  }
}
