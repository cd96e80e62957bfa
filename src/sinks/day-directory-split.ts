import { join } from "node:path";
import type { Zone } from "../base/zone.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { DayOrder } from "./day-order.js";
import { DayParts, type DayPartsOptions } from "./day-parts.js";
import { FinishedParts, type FinishedSpill } from "./finished-parts.js";
import type { Segment } from "./segment.js";
import type { SplitSink, WrittenEvents } from "./sink.js";
import { chooseSpilled } from "./spill/spill-choice.js";
import { spillPathOf } from "./spill/spill-names.js";
import { type RowPacker, SpillWriter } from "./spill/spill-writer.js";

export interface DayDirectorySplitOptions {
  /** Of the worker; this split has it alone until it is finished or aborted. */
  readonly segment: Segment;
  readonly order: DayOrder;
  readonly dayZone: Zone;
  /** Absolute. */
  readonly outputDirectory: string;
  readonly parts: DayPartsOptions;
  /** Of the worker; absent where all rows go to parts. */
  readonly packer: RowPacker | undefined;
}

/**
 * The events of one split on their way into day directories: parts are written under
 * `_switchyard/tmp/<split>`, from where `FinishedParts` move to where they belong. Rows that lie
 * scattered over many days go to one spill file instead of many small parts.
 */
export class DayDirectorySplit implements SplitSink {
  readonly #parts: DayParts;
  readonly #spill: { readonly writer: SpillWriter; readonly path: string } | undefined;
  /** What a split of this name has left behind is removed before the first part is written. */
  #ready: Promise<void> | undefined;
  #state: "open" | "finished" | "aborted" = "open";

  constructor(private readonly options: DayDirectorySplitOptions) {
    this.#parts = new DayParts(options.parts);
    this.#spill = options.packer && openSpill(options.packer, options.parts);
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

  async finish(): Promise<WrittenEvents> {
    this.#expectOpen();
    await this.#prepare();
    this.#flush();
    const finished = this.#parts.finish();
    this.#state = "finished";
    const { outputDirectory, parts } = this.options;
    return new FinishedParts(finished, outputDirectory, parts, this.#finishSpill());
  }

  async abort(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "aborted";
    const { files, temporaryDirectory } = this.options.parts;
    this.options.segment.clear();
    // What cannot be removed now does no harm: doing the split again replaces it. The error that led
    // here says more than one of this could.
    await files.remove(temporaryDirectory).catch(() => undefined);
  }

  /** Sorts what has been gathered into days and appends it to their parts, or spills it. */
  #flush(): void {
    const { segment, order, dayZone } = this.options;
    if (segment.rows === 0) return;
    const days = order.sort(segment.timestamps, segment.rows, dayZone);
    const { written, spilled } =
      this.#spill === undefined
        ? { written: days, spilled: [] }
        : chooseSpilled(days, order.rowNumbers(segment.rows));
    this.#parts.append(segment, order.address, written);
    this.#spill?.writer.append(segment, order.address, spilled);
    segment.clear();
  }

  #finishSpill(): FinishedSpill | undefined {
    const { outputDirectory, parts } = this.options;
    const file = this.#spill?.writer.finish();
    if (this.#spill === undefined || file === undefined) return undefined;
    return {
      temporaryPath: this.#spill.path,
      path: spillPathOf(outputDirectory, parts.splitId),
      file,
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
  const path = join(temporaryDirectory, "spill");
  return { path, writer: new SpillWriter(packer, files, path) };
}
