import { parseDay } from "../base/day.js";
import { groupBy } from "../base/group-by.js";
import type { DayOrder } from "./day-order.js";
import { DayParts, type DayPartsOptions } from "./day-parts.js";
import { EncodedPart, PartBuffer } from "./encoded-part.js";
import type { EventOrder } from "./event-order.js";
import { FinishedParts } from "./finished-parts.js";
import type { RowBuffer } from "./row-buffer.js";
import type { PartFile, WrittenEvents } from "./sink.js";
import { PackGroups, type SpilledPacks } from "./spill/pack-groups.js";
import { OpenSpillFiles } from "./spill/spill-files.js";
import { stagedPathOf } from "./staged-parts.js";

/** Days of which splits have spilled rows, or staged parts. */
export interface MergeTask {
  /** Names its temporary directory. */
  readonly id: string;
  /** Packs of its days, ordered by split. */
  readonly splits: readonly SpilledPacks[];
  /** Small parts of its days, ordered by day and then by split. */
  readonly staged: readonly PartFile[];
}

/** The memory and the parts of one split or merge. */
export interface DayWriting {
  /** The worker's; one split or merge uses it at a time. */
  readonly rowBuffer: RowBuffer;
  readonly order: DayOrder;
  /** Present if each event has a directory. */
  readonly events: EventOrder | undefined;
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
 * Writes the parts of days from the spilled rows of splits, and joins them with staged parts, both
 * in the order of the splits. A day's parts are a function of its rows alone, not of the other days of the task. They are visible when
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
    const { kernel } = rowBuffer;
    const staged = new StagedDays(task.staged, spillFiles, { outputDirectory, parts, watch });
    const groups = new PackGroups(kernel, spillFiles, outputDirectory, task.splits);
    try {
      appendGroups(groups, parts, staged, options, watch);
      staged.joinRest();
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
  staged: StagedDays,
  { rowBuffer, order, events }: DayWriting,
  watch: MergeWatch,
): void {
  for (;;) {
    watch.checkpoint();
    const loaded = groups.load(rowBuffer);
    if (loaded === undefined) return;
    watch.taken(loaded.rows, loaded.bytes);
    order.keep(loaded.rows);
    for (const day of events?.divide(rowBuffer, order.address, loaded.days) ?? loaded.days) {
      watch.checkpoint();
      parts.append(rowBuffer, order.address, [day]);
      if (!loaded.isCut) staged.join(day.day);
    }
  }
}

interface PartJoin {
  readonly outputDirectory: string;
  readonly parts: DayParts;
  readonly watch: MergeWatch;
}

/** The staged parts of a merge by day. */
class StagedDays {
  readonly #days = new Map<number, PartFile[]>();
  readonly #buffer = new PartBuffer();

  constructor(
    staged: readonly PartFile[],
    private readonly files: OpenSpillFiles,
    private readonly joining: PartJoin,
  ) {
    for (const part of staged) {
      const day = parseDay(part.day);
      const known = this.#days.get(day);
      if (known === undefined) this.#days.set(day, [part]);
      else known.push(part);
    }
  }

  /** Joins the staged parts of a day with its open part, which ends the day. */
  join(day: number): void {
    const { outputDirectory, parts, watch } = this.joining;
    const staged = this.#days.get(day) ?? [];
    this.#days.delete(day);
    watch.checkpoint();
    for (const group of byEvent(staged)) {
      parts.join(
        group.map((part) => ({
          part,
          file: new EncodedPart(
            this.files,
            this.#buffer,
            stagedPathOf(outputDirectory, part),
            part.bytes,
          ),
        })),
      );
    }
    parts.finishOpen();
    for (const { rows, bytes } of staged) watch.taken(rows, bytes);
  }

  joinRest(): void {
    for (const day of [...this.#days.keys()]) this.join(day);
  }
}

/** Returns the parts of one day by event; parts without one are one group. */
function byEvent(parts: readonly PartFile[]): readonly (readonly PartFile[])[] {
  return [...groupBy(parts, ({ event }) => event).values()];
}
