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
import type { Partition } from "./directory-names.js";
import { EventOrder } from "./event-order.js";
import { diskFiles, type PartFiles, withOutputErrors } from "./part-files.js";
import type { PartFormat } from "./part-format.js";
import { createRowBuffer } from "./row-buffer.js";
import type { Sink, WrittenEvents } from "./sink.js";
import { mergedPartsOf } from "./spill/spill-files.js";
import { RowPacker } from "./spill/spill-writer.js";
import { type Compact, stagedBytesOf } from "./staged-parts.js";

export interface DayDirectoryOptions {
  /** Absolute. */
  readonly outputDirectory: string;
  /** Name of the directory that holds the days. */
  readonly dataset?: string;
  /** Name of a day's directory, with `{day}`; the day alone by default. */
  readonly dayName?: string;
  /** `day` by default; otherwise each day has a directory for each event. */
  readonly partition?: Partition;
  readonly format: PartFormat;
  /** Zone that decides which day a timestamp belongs to. */
  readonly dayZone: Zone;
  /** A part that reaches this size is followed by the next one. */
  readonly partBytes?: number;
  /**
   * Rows that are scattered over many days may be spilled, to be merged by `mergeDays` when all
   * splits are written. A run of one split does not need it.
   */
  readonly spills?: boolean;
  /** Part of the names of merged parts; default 0. */
  readonly epoch?: number;
  /** Parts of splits that are joined by `mergeDays`; none if absent. */
  readonly compact?: Compact;
  /** Directory of unfinished parts; that of the output by default. */
  readonly temporaryDirectory?: string;
  readonly files?: PartFiles;
}

/** A sink of day directories, with the merge of spilled rows. */
export interface DayDirectorySink extends Sink {
  /** Must not be called while a split is open. */
  mergeDays(task: MergeTask, watch: MergeWatch): Promise<WrittenEvents>;
}

/**
 * Creates a sink with one directory per day:
 * `<output>/<dataset>/<YYYY-MM-DD>/part-<split>-<number>.<extension>`, or one per day and event. The bytes of the files are a
 * function of the events and the options. Memory is allocated once, here; it grows only for a
 * single row that is longer than the row buffer.
 */
export function createDayDirectorySink(
  kernel: Kernel,
  options: DayDirectoryOptions,
): DayDirectorySink {
  const { outputDirectory, dataset = "events", dayName = "{day}", dayZone, format } = options;
  const { partBytes = PART_BYTES, epoch = 0 } = options;
  const hasEvents = options.partition === "day,event";
  // Small parts need a small row buffer, so that a part does not exceed its size by much.
  // Lines with names of events take up to twice as much memory.
  const bufferBytes = Math.min(hasEvents ? ROW_BUFFER_BYTES / 2 : ROW_BUFFER_BYTES, partBytes);
  const packBytes = Math.min(PACK_BYTES, bufferBytes);
  const rowBuffer = createRowBuffer(kernel, { ...format, hasEvents }, bufferBytes);
  const order = new DayOrder(kernel, ROW_BUFFER_ROWS_MAX);
  const events = hasEvents ? new EventOrder(kernel, ROW_BUFFER_ROWS_MAX) : undefined;
  const files = withOutputErrors(options.files ?? diskFiles);
  const packer = options.spills === true ? new RowPacker(kernel, packBytes) : undefined;
  const stagedBytes = stagedBytesOf(options.compact ?? "never", partBytes);
  const namedDirectories = new Set<string>();
  const { temporaryDirectory = join(outputDirectory, "_switchyard", "tmp") } = options;
  const partsOf = (splitId: string, temporaryName: string): DayPartsOptions => ({
    files,
    format,
    partBytes,
    splitId,
    dataset,
    dayName,
    namedDirectories,
    heldBytesMax: FOOTER_BYTES_MAX,
    temporaryDirectory: join(temporaryDirectory, temporaryName),
  });
  const shared = { rowBuffer, order, events, outputDirectory };
  return {
    openSplit(splitId) {
      const parts = partsOf(splitId, splitId);
      return new DayDirectorySplit({ ...shared, dayZone, packer, parts, stagedBytes });
    },
    mergeDays(task, watch) {
      const parts = partsOf(mergedPartsOf(epoch), `merge-${task.id}`);
      return mergeDays(task, { ...shared, parts }, watch);
    },
  };
}
