import type { DayOrder } from "./day-order.js";
import { DayParts, type DayPartsOptions } from "./day-parts.js";
import { FinishedParts } from "./finished-parts.js";
import type { RowBuffer } from "./row-buffer.js";
import type { WrittenEvents } from "./sink.js";
import { PackGroups, type SpilledSplit } from "./spill/pack-groups.js";
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

/** The memory and the parts of one split or merge. */
export interface DayWriting {
  /** The worker's; one split or merge uses it at a time. */
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
  options: DayWriting,
  watch: MergeWatch,
): Promise<WrittenEvents> {
  const { outputDirectory, rowBuffer, parts: partsOptions } = options;
  const { files, temporaryDirectory } = partsOptions;
  await files.remove(temporaryDirectory);
  const spillFiles = new OpenSpillFiles();
  try {
    const parts = new DayParts(partsOptions);
    rowBuffer.clear();
    const days = [task.firstDay, task.lastDay] as const;
    const { kernel } = rowBuffer;
    const groups = new PackGroups(kernel, spillFiles, outputDirectory, task.splits, days);
    try {
      appendGroups(groups, parts, options, watch);
    } finally {
      groups.free();
      rowBuffer.clear();
    }
    return new FinishedParts(parts.finish(), outputDirectory, partsOptions);
  } catch (error) {
    await files.remove(temporaryDirectory).catch(() => undefined);
    throw error;
  } finally {
    spillFiles.close();
  }
}

function appendGroups(
  groups: PackGroups,
  parts: DayParts,
  { rowBuffer, order }: DayWriting,
  watch: MergeWatch,
): void {
  for (;;) {
    watch.checkpoint();
    const loaded = groups.load(rowBuffer);
    if (loaded === undefined) return;
    watch.taken(loaded.rows, loaded.bytes);
    order.keep(loaded.rows);
    for (const day of loaded.days) {
      watch.checkpoint();
      parts.append(rowBuffer, order.address, [day]);
      if (!loaded.isCut) parts.finishOpen();
    }
  }
}
