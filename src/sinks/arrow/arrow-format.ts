import { RecordBatchFileWriter } from "apache-arrow";
import type { Kernel } from "../../batch/kernel.js";
import type { PartEncoder, PartFormat } from "../part-format.js";
import type { PartOutput } from "../part-output.js";
import type { RowBuffer } from "../row-buffer.js";
import { type EventColumns, RecordBatches } from "./record-batches.js";

/** Bytes that the writer of an open part holds, besides one block for each record batch. */
const WRITER_BYTES = 4_096;
const BLOCK_BYTES = 128;

/**
 * Arrow IPC files, uncompressed: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
 */
export function createArrowFormat(kernel: Kernel): PartFormat {
  const batches = new RecordBatches(kernel);
  return {
    extension: "arrow",
    rows: "columns",
    openPart: (output) => new ArrowEncoder(batches, output),
  };
}

class ArrowEncoder implements PartEncoder {
  readonly #writer: PartWriter;
  #blocks = 0;

  constructor(
    private readonly batches: RecordBatches,
    output: PartOutput,
  ) {
    this.#writer = new PartWriter(output);
  }

  get heldBytes(): number {
    return WRITER_BYTES + this.#blocks * BLOCK_BYTES;
  }

  append(rowBuffer: RowBuffer, order: number, start: number, end: number): number {
    const { batch, next } = this.batches.next({ rowBuffer, order, start, end });
    this.#writer.write(batch);
    this.#blocks++;
    return next;
  }

  finish(): void {
    this.#writer.finish();
  }
}

/** Writes straight to a part. The writer of the library keeps the whole file until it is read. */
class PartWriter extends RecordBatchFileWriter<EventColumns> {
  constructor(private readonly output: PartOutput) {
    super();
  }

  protected override _write(chunk: ArrayBufferView): this {
    if (!this._started) return this;
    this.output.append(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this._position += chunk.byteLength;
    return this;
  }
}
