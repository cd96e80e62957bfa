import type { EventBatch } from "../../batch/event-batch.js";
import type { Origin } from "../sink.js";
import type { EventLine } from "./event-lines.js";
import type { RowFault } from "./judge-answer.js";

/**
 * Events that go out together, and where they came from: while their batch lives by their rows, after
 * that by what has been kept of them for the case that they are refused.
 */
export class OpenParcel {
  readonly texts: Uint8Array[] = [];
  readonly #kept: ((message: string) => void)[] = [];
  #rows: number[] = [];
  #events: EventBatch | undefined;

  constructor(
    readonly origin: Origin,
    readonly rangeKey: string,
    /** Of its range, from 0. */
    readonly number: number,
  ) {}

  add(events: EventBatch, { row, text }: EventLine): void {
    this.#events = events;
    this.#rows.push(row);
    this.texts.push(text);
  }

  /** Makes the parcel independent of the batch that some of its events are of. */
  detach(): void {
    const events = this.#events;
    if (events === undefined) return;
    this.#kept.push(...this.#rows.map((row) => this.origin.keep(events, row)));
    this.#rows = [];
    this.#events = undefined;
  }

  refuse(faults: readonly RowFault[]): void {
    if (faults.length === 0) return;
    this.detach();
    for (const { row, message } of faults) this.#kept[row]?.(message);
  }
}
