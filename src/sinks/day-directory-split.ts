import { join } from "node:path";
import { LARGE_DAY_SHARE, ORDERED_DAY_ROWS_MIN, ROW_BUFFER_DAYS_MAX } from "../base/limits.js";
import { sum } from "../base/sum.js";
import type { Zone } from "../base/zone.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { DayWriting } from "./day-merge.js";
import type { DayRows } from "./day-order.js";
import { DayParts, type DayPartsOptions, type FinishedPart } from "./day-parts.js";
import { FinishedParts, type FinishedSpill } from "./finished-parts.js";
import type { SplitSink, WrittenEvents } from "./sink.js";
import { spillPathOf } from "./spill/spill-files.js";
import { type RowPacker, SpillWriter } from "./spill/spill-writer.js";

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
export class DayDirectorySplit implements SplitSink {
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
