import { join } from "node:path";
import {
  FOOTER_BYTES_MAX,
  LARGE_DAY_SHARE,
  ORDERED_DAY_ROWS_MIN,
  PACK_BYTES,
  PART_BYTES,
  ROW_BUFFER_BYTES,
  ROW_BUFFER_DAYS_MAX,
  ROW_BUFFER_ROWS_MAX,
} from "../base/limits.js";
import { sum } from "../base/sum.js";
import type { Zone } from "../base/zone.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import { type DayWriting, type MergeTask, type MergeWatch, mergeDays } from "./day-merge.js";
import { DayOrder, type DayRows } from "./day-order.js";
import { DayParts, type DayPartsOptions, type FinishedPart } from "./day-parts.js";
import type { Partition } from "./directory-names.js";
import { EventOrder } from "./event-order.js";
import { FinishedParts, type FinishedSpill } from "./finished-parts.js";
import { diskFiles, type PartFiles, withOutputErrors } from "./part-files.js";
import type { PartFormat } from "./part-format.js";
import { createRowBuffer } from "./row-buffer.js";
import type { Sink, SplitSink, WrittenEvents } from "./sink.js";
import { mergedPartsOf, spillPathOf } from "./spill/spill-files.js";
import { RowPacker, SpillWriter } from "./spill/spill-writer.js";
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

interface DayDirectorySplitOptions extends DayWriting {
  readonly dayZone: Zone;
  /** The worker's; absent if all rows go to parts. */
  readonly packer: RowPacker | undefined;
  /** Smaller parts wait to be joined with others of their days. */
  readonly stagedBytes: number;
}

/**
 * Writes the events of one split. Parts are written under `_switchyard/tmp/<split>`;
 * `FinishedParts` moves them to their days. Rows that are scattered over many days go to one spill
 * file instead of many small parts.
 */
class DayDirectorySplit implements SplitSink {
  readonly #parts: DayParts;
  readonly #spill: SpillWriter | undefined;
  /** Removes what an earlier split of this name left, before the first part is written. */
  #ready: Promise<void> | undefined;
  #state: "open" | "finished" | "aborted" = "open";

  constructor(private readonly options: DayDirectorySplitOptions) {
    this.#parts = new DayParts(options.parts);
    this.#spill = options.packer && openSpill(options.packer, options.parts);
    options.rowBuffer.clear();
  }

  async write(events: EventBatch): Promise<void> {
    this.#expectOpen();
    await this.#prepare();
    const { rowBuffer } = this.options;
    let row = rowBuffer.append(events, 0);
    while (row < events.rows) {
      this.#flush();
      row = rowBuffer.append(events, row);
    }
  }

  async finish(): Promise<WrittenEvents> {
    this.#expectOpen();
    await this.#prepare();
    this.#flush();
    const finished = this.#parts.finish();
    this.#state = "finished";
    const { outputDirectory, parts, stagedBytes } = this.options;
    const isStaged = ({ part }: FinishedPart) => part.bytes < stagedBytes;
    return new FinishedParts(
      finished.filter((part) => !isStaged(part)),
      outputDirectory,
      parts,
      { spill: this.#finishSpill(), staged: finished.filter(isStaged) },
    );
  }

  async abort(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "aborted";
    const { files, temporaryDirectory } = this.options.parts;
    this.options.rowBuffer.clear();
    // A failure to remove it does no harm: running the split again replaces it. The first error
    // matters more.
    await files.remove(temporaryDirectory).catch(() => undefined);
  }

  /** Sorts the gathered rows into days, and appends them to their parts or spills them. */
  #flush(): void {
    const { rowBuffer, order, events, dayZone } = this.options;
    if (rowBuffer.rows === 0) return;
    const sorted = order.sort(rowBuffer.timestamps, rowBuffer.rows, dayZone);
    const days = events?.divide(rowBuffer, order.address, sorted) ?? sorted;
    const { written, spilled } =
      this.#spill === undefined
        ? { written: days, spilled: [] }
        : chooseSpilled(days, order.rowNumbers(rowBuffer.rows));
    this.#parts.append(rowBuffer, order.address, written);
    this.#spill?.append(rowBuffer, order.address, spilled);
    rowBuffer.clear();
  }

  #finishSpill(): FinishedSpill | undefined {
    const { outputDirectory, parts } = this.options;
    const written = this.#spill?.finish();
    if (written === undefined) return undefined;
    return {
      temporaryPath: written.path,
      path: spillPathOf(outputDirectory, parts.splitId),
      file: written.file,
    };
  }

  #prepare(): Promise<void> {
    const { files, temporaryDirectory } = this.options.parts;
    this.#ready ??= files.remove(temporaryDirectory);
    return this.#ready;
  }

  #expectOpen(): void {
    if (this.#state !== "open") throw new Error(`the split is ${this.#state} already`);
  }
}

function openSpill(packer: RowPacker, { files, temporaryDirectory }: DayPartsOptions) {
  return new SpillWriter(packer, files, join(temporaryDirectory, "spill"));
}

/**
 * Chooses the days to spill: in a row buffer with many directories, those with few rows for each,
 * unless the rows of a day are in order. Such days are not shared with other
 * splits. `order` has the row number at each index. The choice is a function of the row buffer alone, so
 * that the output does not depend on threads.
 */
function chooseSpilled(days: readonly DayRows[], order: Uint32Array) {
  const directoriesOf = ({ events }: DayRows) => events?.length ?? 1;
  const directories = sum(days, (day) => directoriesOf(day));
  if (directories <= ROW_BUFFER_DAYS_MAX) return { written: days, spilled: [] };
  const rows = days.at(-1)?.end ?? 0;
  const isWritten = (day: DayRows) =>
    (day.end - day.start) * LARGE_DAY_SHARE >= rows * directoriesOf(day) ||
    (day.events === undefined && liesInOrder(day, order));
  return { written: days.filter(isWritten), spilled: days.filter((day) => !isWritten(day)) };
}

/**
 * Returns whether the middle half of a day's rows lies within as many rows of the row buffer as the
 * day has. Late rows, or rows of other days in between, do not change that.
 */
function liesInOrder({ start, end }: DayRows, order: Uint32Array): boolean {
  const rows = end - start;
  if (rows < ORDERED_DAY_ROWS_MIN) return false;
  const first = order[start + Math.floor(rows / 4)]!;
  const last = order[start + Math.floor((rows * 3) / 4)]!;
  return last - first < rows;
}
