import { dirname, join } from "node:path";
import { SYNC_CONCURRENCY } from "../base/limits.js";
import type { Zone } from "../base/zone.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { DayOrder } from "./day-order.js";
import { DayParts, type DayPartsOptions, type FinishedPart } from "./day-parts.js";
import type { Segment } from "./segment.js";
import type { Commitment, SplitSink } from "./sink.js";

export interface DayDirectorySplitOptions {
  /** Of the worker; this split has it alone until it is committed or aborted. */
  readonly segment: Segment;
  readonly order: DayOrder;
  readonly dayZone: Zone;
  /** Absolute. */
  readonly outputDirectory: string;
  readonly parts: DayPartsOptions;
}

/**
 * The events of one split on their way into day directories. Parts are written under
 * `_switchyard/tmp/<split>`, synced, and only by `commit` renamed to where they belong, in the order
 * of their paths. A kill between two renames leaves whole parts only; redoing the split writes the
 * same names with the same bytes over them.
 */
export class DayDirectorySplit implements SplitSink {
  readonly #parts: DayParts;
  /** What a split of this name has left behind is removed before the first part is written. */
  #ready: Promise<void> | undefined;
  /** Where parts have been moved to by a commit that is not through. */
  readonly #moved: string[] = [];
  #state: "open" | "committed" | "aborted" = "open";

  constructor(private readonly options: DayDirectorySplitOptions) {
    this.#parts = new DayParts(options.parts);
    options.segment.clear();
  }

  async write(events: EventBatch): Promise<void> {
    this.#expectOpen();
    await this.#prepare();
    const { segment } = this.options;
    let row = segment.append(events, 0);
    while (row < events.rows) {
      this.#flush();
      row = segment.append(events, row);
    }
  }

  async commit(): Promise<Commitment> {
    this.#expectOpen();
    await this.#prepare();
    this.#flush();
    const finished = this.#parts.finish();
    const { files, temporaryDirectory } = this.options.parts;
    await forEach(finished, SYNC_CONCURRENCY, (part) => files.sync(part.temporaryPath, "file"));
    await this.#publish(finished);
    this.#state = "committed";
    await files.remove(temporaryDirectory);
    const parts = finished.map(({ part }) => part);
    return { rows: parts.reduce((sum, { rows }) => sum + rows, 0), parts, counts: {} };
  }

  async abort(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "aborted";
    const { files, temporaryDirectory } = this.options.parts;
    this.options.segment.clear();
    // What cannot be removed now does no harm: doing the split again replaces it. The error that led
    // here says more than one of this could.
    await Promise.allSettled(
      [...this.#moved, temporaryDirectory].map((path) => files.remove(path)),
    );
  }

  /** Sorts what has been gathered into days and appends it to their parts. */
  #flush(): void {
    const { segment, order, dayZone } = this.options;
    if (segment.rows === 0) return;
    const days = order.sort(segment.timestamps, segment.rows, dayZone);
    this.#parts.append(segment, order.address, days);
    segment.clear();
  }

  async #publish(finished: readonly FinishedPart[]): Promise<void> {
    const { outputDirectory, parts } = this.options;
    const { files } = parts;
    const targets = finished.map(({ part }) => join(outputDirectory, part.path));
    const directories = [...new Set(targets.map(dirname))];
    for (const directory of directories) await files.makeDirectory(directory);
    for (const [index, { temporaryPath }] of finished.entries()) {
      const target = targets[index] ?? "";
      await files.rename(temporaryPath, target);
      this.#moved.push(target);
    }
    if (directories.length === 0) return;
    // The names of the parts, and those of the directories above that may be new. All at once: the disk
    // takes what waits for it together, and the split is not committed before they are all there.
    const above = [join(outputDirectory, parts.dataset), outputDirectory];
    await forEach([...directories, ...above], SYNC_CONCURRENCY, (path) =>
      files.sync(path, "directory"),
    );
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

/**
 * Runs `work` on each item, at most `concurrency` at a time. After an error no more are begun; it is
 * thrown once those at work have come to an end.
 */
async function forEach<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const errors: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const item of queue) {
      if (errors.length > 0) return;
      await work(item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  if (errors.length > 0) throw errors[0];
}
