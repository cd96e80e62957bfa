import {
  Message,
  RecordBatchFileWriter,
  RecordBatchReader,
  type Schema,
  type TypeMap,
  util,
} from "apache-arrow";
import type { Kernel } from "../../batch/kernel.js";
import type { EncodedPart } from "../encoded-part.js";
import type { RowsOptions } from "../output-columns.js";
import type { PartEncoder, PartFormat } from "../part-format.js";
import type { PartOutput } from "../part-output.js";
import type { RowBuffer } from "../row-buffer.js";
import { RecordBatches, schemaOf } from "./record-batches.js";

/** Bytes that the writer of an open part holds, besides one block for each record batch. */
const WRITER_BYTES = 4_096;
const BLOCK_BYTES = 128;

/**
 * Arrow IPC files, uncompressed: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
 */
export function createArrowFormat(kernel: Kernel, options: RowsOptions): PartFormat {
  const batches = new RecordBatches(kernel, options);
  const schema = schemaOf(options);
  return {
    ...options,
    extension: "arrow",
    rows: "columns",
    openPart: (output) => new ArrowEncoder(batches, schema, output),
  };
}

class ArrowEncoder implements PartEncoder {
  readonly #writer: PartWriter;
  #blocks = 0;

  constructor(
    private readonly batches: RecordBatches,
    schema: Schema<TypeMap>,
    output: PartOutput,
  ) {
    this.#writer = new PartWriter(schema, output);
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

  appendPart(part: EncodedPart): void {
    this.#blocks += this.#writer.copy(part);
  }

  finish(): void {
    this.#writer.finish();
  }
}

/** Writes straight to a part. The writer of the library keeps the whole file until it is read. */
class PartWriter extends RecordBatchFileWriter<TypeMap> {
  constructor(
    private readonly schema: Schema<TypeMap>,
    private readonly output: PartOutput,
  ) {
    super();
  }

  /** Copies the record batches of a part and returns their number. */
  copy(part: EncodedPart): number {
    const blocks = findRecordBatches(part, this.schema);
    if (!this._started) this.reset(this._sink, this.schema);
    const [first] = blocks;
    const end = blocks.at(-1);
    if (first === undefined || end === undefined) return 0;
    const shift = this._position - first.offset;
    for (const block of blocks)
      this._recordBatchBlocks.push({ ...block, offset: block.offset + shift });
    const size = end.offset + end.metaDataLength + end.bodyLength - first.offset;
    part.copyTo(this.output, first.offset, first.offset + size);
    this._position += size;
    return blocks.length;
  }

  protected override _write(chunk: ArrayBufferView): this {
    if (!this._started) return this;
    this.output.append(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this._position += chunk.byteLength;
    return this;
  }
}

/** The magic bytes and their padding. */
const HEAD_BYTES = 8;
/** The length of the footer, and the magic bytes. */
const TAIL_BYTES = 10;
/** The continuation mark and the length of a message. */
const PREFIX_BYTES = 8;

/** A record batch in a file. */
interface RecordBatchBlock {
  readonly offset: number;
  /** With its prefix and padding. */
  readonly metaDataLength: number;
  readonly bodyLength: number;
}

/** Finds the record batches of a part, which follow each other up to the end mark. */
function findRecordBatches(
  part: EncodedPart,
  expected: Schema<TypeMap>,
): readonly RecordBatchBlock[] {
  const tail = part.read(part.size - TAIL_BYTES, part.size);
  const end = part.size - TAIL_BYTES - int32(tail, 0);
  const footer = part.read(end, part.size);
  const file = Buffer.concat([part.read(0, HEAD_BYTES), footer]);
  const { schema } = RecordBatchReader.from(new Uint8Array(file)).open();
  if (!util.compareSchemas(schema, expected)) throw part.mismatch("it has other columns");
  const blocks: RecordBatchBlock[] = [];
  for (let offset = HEAD_BYTES; ; ) {
    const length = int32(part.read(offset, offset + PREFIX_BYTES), 4);
    if (length === 0) return blocks;
    const metaDataLength = PREFIX_BYTES + length;
    const message = Message.decode(part.read(offset + PREFIX_BYTES, offset + metaDataLength));
    const { bodyLength } = message;
    blocks.push({ offset, metaDataLength, bodyLength });
    offset += metaDataLength + bodyLength;
  }
}

function int32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getInt32(at, true);
}
