import { join } from "node:path";
import {
  FOOTER_BYTES_MAX,
  PACK_BYTES,
  PART_BYTES,
  ROW_BUFFER_BYTES,
  ROW_BUFFER_ROWS_MAX,
} from "../base/limits.js";
import type { Zone } from "../base/zone.js";
import type { Kernel } from "../batch/kernel.js";
import { DayDirectorySplit } from "./day-directory-split.js";
import { type MergeTask, type MergeWatch, mergeDays } from "./day-merge.js";
import { DayOrder } from "./day-order.js";
import type { DayPartsOptions } from "./day-parts.js";
import { diskFiles, type PartFiles, withOutputErrors } from "./part-files.js";
import type { PartFormat } from "./part-format.js";
import { WriteBuffer } from "./part-output.js";
import { ColumnBuffer, LineBuffer } from "./row-buffer.js";
import type { Sink, WrittenEvents } from "./sink.js";
import { MERGED_PARTS } from "./spill/spill-files.js";
import { RowPacker } from "./spill/spill-writer.js";

export interface DayDirectoryOptions {
  /** Absolute. */
  readonly outputDirectory: string;
  /** Name of the directory that holds the days. */
  readonly dataset?: string;
  readonly format: PartFormat;
  /** Zone that decides which day a timestamp belongs to. */
  readonly dayZone: Zone;
  /** A part that has reached so many bytes is followed by the next one. */
  readonly partBytes?: number;
  /**
   * Whether rows that lie scattered over many days may be spilled, to be merged by `mergeDays` once
   * all splits are written: what a run of one split does not need.
   */
  readonly spills?: boolean;
  readonly files?: PartFiles;
}

/** Day directories, and what is left to do when splits have spilled. */
export interface DayDirectorySink extends Sink {
  /** Not while a split is open. */
  mergeDays(task: MergeTask, watch: MergeWatch): Promise<WrittenEvents>;
}

/**
 * One directory per day: `<output>/<dataset>/<YYYY-MM-DD>/part-<split>-<number>.<extension>`. The
 * bytes of the files are a function of the events and the options. Memory is taken once, here, and
 * grows only for a single row that is longer than a row buffer.
 */
export function createDayDirectorySink(
  kernel: Kernel,
  options: DayDirectoryOptions,
): DayDirectorySink {
  const { outputDirectory, dataset = "events", dayZone, format } = options;
  const { partBytes = PART_BYTES } = options;
  // A smaller row buffer where parts are small, so that a part does not pass its size by much.
  const bufferBytes = Math.min(ROW_BUFFER_BYTES, partBytes);
  const packBytes = Math.min(PACK_BYTES, bufferBytes);
  const rowBuffer = new (format.rows === "lines" ? LineBuffer : ColumnBuffer)(kernel, bufferBytes);
  const order = new DayOrder(kernel, ROW_BUFFER_ROWS_MAX);
  const buffer = new WriteBuffer();
  const files = withOutputErrors(options.files ?? diskFiles);
  const packer = options.spills === true ? new RowPacker(kernel, packBytes) : undefined;
  const namedDirectories = new Set<string>();
  const partsOf = (splitId: string, temporaryName: string): DayPartsOptions => ({
    ...{ files, buffer, format, partBytes, splitId, dataset, namedDirectories },
    heldBytesMax: FOOTER_BYTES_MAX,
    temporaryDirectory: join(outputDirectory, "_switchyard", "tmp", temporaryName),
  });
  const shared = { rowBuffer, order, outputDirectory };
  return {
    openSplit(splitId) {
      const parts = partsOf(splitId, splitId);
      return new DayDirectorySplit({ ...shared, dayZone, packer, parts });
    },
    mergeDays(task, watch) {
      const parts = partsOf(MERGED_PARTS, `merge-${task.id}`);
      return mergeDays(task, { ...shared, parts }, watch);
    },
  };
}
