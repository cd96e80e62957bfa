import type { DayOrder } from "./day-order.js";
import { DayParts, type DayPartsOptions } from "./day-parts.js";
import { FinishedParts } from "./finished-parts.js";
import type { Segment } from "./segment.js";
import type { WrittenEvents } from "./sink.js";
import { OpenSpillFiles } from "./spill/spill-files.js";
import { loadPack, type PlacedPack, SpilledDays, type SpilledSplit } from "./spill/spilled-days.js";

/** Some days of which splits have spilled rows. */
export interface MergeTask {
  /** Names its temporary directory. */
  readonly id: string;
  /** Days since 1970-01-01, the last one included. */
  readonly firstDay: number;
  readonly lastDay: number;
  /** In the order of their ids. */
  readonly splits: readonly SpilledSplit[];
}

export interface DayMergeOptions {
  /** Of the worker; the merge has it alone until it is written. */
  readonly segment: Segment;
  readonly order: DayOrder;
  /** Absolute. */
  readonly outputDirectory: string;
  readonly parts: DayPartsOptions;
}

/** What a merge tells while it lasts. */
export interface MergeWatch {
  /** Throws when the merge is to stop. */
  checkpoint(): void;
  /** So many more rows and packed bytes have been read. */
  taken(rows: number, bytes: number): void;
}

/**
 * Writes the parts of days from what splits have spilled of them, in the order of the splits. A day's
 * parts are a function of its rows alone: the other days of the task make no difference. Visible once
 * the result is committed.
 */
export async function mergeDays(
  task: MergeTask,
  options: DayMergeOptions,
  watch: MergeWatch,
): Promise<WrittenEvents> {
  const { files, temporaryDirectory } = options.parts;
  await files.remove(temporaryDirectory);
  const spillFiles = new OpenSpillFiles();
  try {
    const merge = new DayMerge(options, spillFiles, watch);
    merge.run(task);
    return new FinishedParts(merge.finish(), options.outputDirectory, options.parts);
  } catch (error) {
    await files.remove(temporaryDirectory).catch(() => undefined);
    throw error;
  } finally {
    spillFiles.close();
  }
}

class DayMerge {
  readonly #parts: DayParts;

  constructor(
    private readonly options: DayMergeOptions,
    private readonly files: OpenSpillFiles,
    private readonly watch: MergeWatch,
  ) {
    this.#parts = new DayParts(options.parts);
    options.segment.clear();
  }

  run({ firstDay, lastDay, splits }: MergeTask): void {
    const { outputDirectory } = this.options;
    const days = new SpilledDays(this.files, outputDirectory, splits, [firstDay, lastDay]);
    for (let packs = days.next(); packs.length > 0; packs = days.next()) this.#mergeDay(packs);
  }

  finish() {
    return this.#parts.finish();
  }

  #mergeDay(packs: readonly PlacedPack[]): void {
    const { segment } = this.options;
    const day = packs[0]?.day ?? 0;
    for (const pack of packs) {
      this.watch.checkpoint();
      if (segment.rows > 0 && !segment.hasRoom(pack.rows, pack.bytes)) this.#flush(day);
      loadPack(this.files, pack, segment);
      this.watch.taken(pack.rows, pack.bytes);
    }
    // Not together with the next day: what was just read is in the processor's cache still.
    this.#flush(day);
    this.#parts.finishOpen();
  }

  #flush(day: number): void {
    const { segment, order } = this.options;
    order.keep(segment.rows);
    this.#parts.append(segment, order.address, [{ day, start: 0, end: segment.rows }]);
    segment.clear();
  }
}
