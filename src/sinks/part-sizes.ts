import { BATCH_ROWS_MAX, WINDOW_BYTES } from "../base/limits.js";
import { cellKinds } from "../batch/column.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { PartFiles } from "./part-files.js";
import type { PartFormat } from "./part-format.js";
import { PartOutput, WriteBuffer } from "./part-output.js";
import { ColumnBuffer, LineBuffer, type RowBuffer } from "./row-buffer.js";

/** Bytes of some events as JSON lines, and as a part of a format. */
export type PartSize = readonly [jsonBytes: number, partBytes: number];

/** Rows of the parts that are measured; the last one has all rows of a batch. */
const PART_ROWS = [1, 16, 256, BATCH_ROWS_MAX];

/** Bytes of an event as a JSON line beside its texts, with a time of 13 digits; and of a value. */
const FRAME_BYTES = 59;
const VALUE_FRAME_BYTES = 9;

/** Encodes events to parts that are not kept, to measure how large an export would be. */
export class PartSizes {
  readonly #rowBuffer: RowBuffer;
  readonly #order: number;
  readonly #buffer = new WriteBuffer();

  constructor(
    private readonly kernel: Kernel,
    private readonly format: PartFormat,
  ) {
    this.#rowBuffer = new (format.rows === "lines" ? LineBuffer : ColumnBuffer)(
      kernel,
      2 * WINDOW_BYTES,
    );
    this.#order = kernel.allocate(BATCH_ROWS_MAX * 4);
  }

  /** Measures parts of 1, 16, 256 and all of the delivered rows; none if there are no such rows. */
  measure(events: EventBatch): readonly PartSize[] {
    const rowBuffer = this.#rowBuffer;
    rowBuffer.clear();
    rowBuffer.append(events, 0);
    const rows = Math.min(rowBuffer.rows, BATCH_ROWS_MAX);
    this.kernel.run.fillOrder(this.#order, rows);
    const counts = [...new Set(PART_ROWS.map((count) => Math.min(count, rows)))];
    return counts
      .filter((count) => count > 0)
      .map((count) => [jsonBytesOf(events, count), this.#encode(count)]);
  }

  #encode(rows: number): number {
    const output = new PartOutput(discarded, this.#buffer, "");
    const encoder = this.format.openPart(output);
    for (let row = 0; row < rows; ) {
      row = encoder.append(this.#rowBuffer, this.#order, row, rows);
    }
    encoder.finish();
    output.rest();
    return output.size;
  }
}

/** Counts the first delivered rows. */
function jsonBytesOf(events: EventBatch, rowsMax: number): number {
  let [bytes, rows] = [0, 0];
  for (let row = 0; row < events.rows && rows < rowsMax; row++) {
    if (events.kernel.bytes[events.outcomes + row] !== outcomes.deliver) continue;
    rows++;
    const { event, user, metadata, value } = events;
    bytes += FRAME_BYTES;
    for (const column of [event, user, metadata]) bytes += column.bytes(row).length;
    if (value.kind(row) !== cellKinds.null) bytes += VALUE_FRAME_BYTES + value.bytes(row).length;
  }
  return bytes;
}

const ignore = async () => undefined;

const discarded: PartFiles = {
  open: () => ({ append: () => undefined, close: () => undefined }),
  sync: ignore,
  rename: ignore,
  makeDirectory: ignore,
  remove: ignore,
};
