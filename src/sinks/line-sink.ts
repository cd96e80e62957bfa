import { ROW_BUFFER_ROWS_MAX, TEXT_BYTES } from "../base/limits.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { RowsOptions } from "./output-columns.js";
import { createRowBuffer, type RowBuffer } from "./row-buffer.js";
import type { Sink, SplitSink, WrittenEvents } from "./sink.js";
import { LineTexts } from "./text-format.js";

/** Takes lines of JSON; resolves when it can take more. The bytes belong to it. */
type PutLines = (lines: ArrayBuffer) => Promise<void>;

/**
 * Creates a sink that hands on each event at once as a line of JSON, in the order of the rows and as
 * day files of JSON lines have it. What was handed on cannot be taken back.
 */
export function createLineSink(kernel: Kernel, options: RowsOptions, put: PutLines): Sink {
  const buffer = createRowBuffer(kernel, { ...options, rows: "lines" }, TEXT_BYTES);
  const order = kernel.allocate(ROW_BUFFER_ROWS_MAX * 4);
  kernel.run.fillOrder(order, ROW_BUFFER_ROWS_MAX);
  const shared = { buffer, order, texts: new LineTexts(kernel, TEXT_BYTES), put };
  return { openSplit: () => new LineSplit(shared) };
}

interface LineTools {
  readonly buffer: RowBuffer;
  /** Address of the numbers of rows, in order. */
  readonly order: number;
  readonly texts: LineTexts;
  readonly put: PutLines;
}

class LineSplit implements SplitSink {
  #rows = 0;

  constructor(private readonly tools: LineTools) {}

  async write(events: EventBatch): Promise<void> {
    for (let row = 0; row < events.rows; ) {
      row = this.tools.buffer.append(events, row);
      await this.#flush();
    }
  }

  async finish(): Promise<WrittenEvents> {
    const commit = async () => ({ parts: [], counts: {} });
    return { rows: this.#rows, commit, abort: async () => {} };
  }

  async abort(): Promise<void> {}

  async #flush(): Promise<void> {
    const { buffer, order, texts, put } = this.tools;
    const { rows } = buffer;
    for (let row = 0; row < rows; ) {
      row = texts.encode(buffer, order, row, rows);
      await put(new Uint8Array(texts.bytes).buffer);
    }
    this.#rows += rows;
    buffer.clear();
  }
}
