import { BATCH_ROWS_MAX, WINDOW_BYTES } from "../base/limits.js";
import { cellKinds } from "../batch/column.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { PartFiles } from "./part-files.js";
import type { PartFormat } from "./part-format.js";
import { PartOutput, WriteBuffer } from "./part-output.js";
import { createRowBuffer, type RowBuffer } from "./row-buffer.js";

/** Bytes of some events as JSON lines, and as a part of a format. */
type PartSize = readonly [jsonBytes: number, partBytes: number];

/** The first four splits are measured, and every fourth of the others: to encode takes as long as to export. */
const SPLITS_MEASURED = 4;

/** Rows of the parts that are measured; the last one has as many as a sample takes. */
const PART_ROWS = [1, 16, 256, 4_096, BATCH_ROWS_MAX];

/** Bytes of an event as a JSON line beside its texts, with a time of 13 digits; and of a value. */
const FRAME_BYTES = 59;
const VALUE_FRAME_BYTES = 9;

/** Encodes events to parts that are not kept, to measure how large an export would be. */
export class PartSizes {
  readonly #rowBuffer: RowBuffer;
  readonly #order: number;
  /** JSON bytes of the first rows of the sample, by their number. */
  readonly #jsonBytes = new Map<number, number>();
  #isMeasured = false;
  #rows = 0;
  #bytes = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly format: PartFormat,
  ) {
    this.#rowBuffer = createRowBuffer(kernel, format, 2 * WINDOW_BYTES);
    this.#order = kernel.allocate(BATCH_ROWS_MAX * 4);
  }

  /** Begins the sample of another split, by its number from 0. */
  begin(split: number): void {
    this.#isMeasured = split < SPLITS_MEASURED || split % SPLITS_MEASURED === 0;
    this.#rowBuffer.clear();
    this.#jsonBytes.clear();
    this.#rows = 0;
    this.#bytes = 0;
  }

  /** Adds delivered rows to the sample until it is full: small files make small batches. */
  take(events: EventBatch): void {
    if (!this.#isMeasured || this.#rows === BATCH_ROWS_MAX || this.#rows < this.#rowBuffer.rows)
      return;
    this.#rowBuffer.append(events, 0);
    const rows = Math.min(this.#rowBuffer.rows, BATCH_ROWS_MAX);
    for (let row = 0; row < events.rows && this.#rows < rows; row++) {
      if (events.kernel.bytes[events.outcomes + row] !== outcomes.deliver) continue;
      this.#rows++;
      this.#bytes += jsonBytesOf(events, row);
      if (PART_ROWS.includes(this.#rows)) this.#jsonBytes.set(this.#rows, this.#bytes);
    }
  }

  /** Measures parts of 1, 16, 256, 4,096 and all rows of the sample; none if it has no rows. */
  measure(): readonly PartSize[] {
    if (this.#rows === 0) return [];
    this.#jsonBytes.set(this.#rows, this.#bytes);
    this.kernel.run.fillOrder(this.#order, this.#rows);
    return [...this.#jsonBytes].map(([rows, bytes]) => [bytes, this.#encode(rows)]);
  }

  #encode(rows: number): number {
    const output = new PartOutput(discarded, new WriteBuffer(), "");
    const encoder = this.format.openPart(output);
    for (let row = 0; row < rows; ) {
      row = encoder.append(this.#rowBuffer, this.#order, row, rows);
    }
    encoder.finish();
    output.rest();
    return output.size;
  }
}

/** Returns the bytes of one event as a JSON line. */
function jsonBytesOf({ event, user, metadata, value }: EventBatch, row: number): number {
  const valueBytes = value.kind(row) === cellKinds.null ? 0 : VALUE_FRAME_BYTES + value.length(row);
  return FRAME_BYTES + valueBytes + event.length(row) + user.length(row) + metadata.length(row);
}

const ignore = async () => undefined;

const discarded: PartFiles = {
  open: () => ({ append: () => undefined, close: () => undefined }),
  sync: ignore,
  rename: ignore,
  link: ignore,
  makeDirectory: ignore,
  remove: ignore,
};
