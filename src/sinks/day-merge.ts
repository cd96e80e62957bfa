import type { DayOrder } from "./day-order.js";
import { DayParts, type DayPartsOptions } from "./day-parts.js";
import { FinishedParts } from "./finished-parts.js";
import type { RowBuffer } from "./row-buffer.js";
import type { WrittenEvents } from "./sink.js";
import { type LoadedDays, PackGroups, type SpilledSplit } from "./spill/pack-groups.js";
import { OpenSpillFiles } from "./spill/spill-files.js";

/** Days whose rows some splits have spilled. */
export interface MergeTask {
  /** Names its temporary directory. */
  readonly id: string;
  /** Days since 1970-01-01, inclusive. */
  readonly firstDay: number;
  readonly lastDay: number;
  /** Ordered by id. */
  readonly splits: readonly SpilledSplit[];
}

export interface DayMergeOptions {
  /** The worker's; the merge uses it alone until it is written. */
  readonly rowBuffer: RowBuffer;
  readonly order: DayOrder;
  /** Absolute. */
  readonly outputDirectory: string;
  readonly parts: DayPartsOptions;
}

/** Callbacks of a merge. */
export interface MergeWatch {
  /** Throws when the merge is to stop. */
  checkpoint(): void;
  /** Reports rows and packed bytes that were read since the last call. */
  taken(rows: number, bytes: number): void;
}

/**
 * Writes the parts of days from the spilled rows of splits, in the order of the splits. A day's
 * parts are a function of its rows alone, not of the other days of the task. They are visible when
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
    options.rowBuffer.clear();
  }

  run({ firstDay, lastDay, splits }: MergeTask): void {
    const { outputDirectory, rowBuffer, order } = this.options;
    const days = [firstDay, lastDay] as const;
    const groups = new PackGroups(rowBuffer.kernel, this.files, outputDirectory, splits, days);
    try {
      for (;;) {
        this.watch.checkpoint();
        const loaded = groups.load(rowBuffer);
        if (loaded === undefined) return;
        this.watch.taken(loaded.rows, loaded.bytes);
        order.keep(loaded.rows);
        this.#append(loaded);
      }
    } finally {
      groups.free();
      rowBuffer.clear();
    }
  }

  finish() {
    return this.#parts.finish();
  }

  #append({ days, isCut }: LoadedDays): void {
    const { rowBuffer, order } = this.options;
    for (const day of days) {
      this.watch.checkpoint();
      this.#parts.append(rowBuffer, order.address, [day]);
      if (!isCut) this.#parts.finishOpen();
    }
  }
}
