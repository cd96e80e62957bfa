import {
  type Data,
  type DataType,
  Field,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  TimestampMillisecond,
  type TypeMap,
  Utf8,
} from "apache-arrow";
import { ARROW_BATCH_BYTES, ARROW_BATCH_ROWS_MAX, ROW_BUFFER_ROWS_MAX } from "../../base/limits.js";
import type { EventBatch } from "../../batch/event-batch.js";
import { type Kernel, LOOSE_BYTES, Region } from "../../batch/kernel.js";
import { parseBigint, parseDouble, type TextType } from "../../batch/text-types.js";
import {
  type ColumnSource,
  columnsOf,
  isRequired,
  type OutputColumn,
  type RowsOptions,
  textColumnsOf,
  timestampUnits,
} from "../output-columns.js";
import { ColumnBuffer, type OrderedRows } from "../row-buffer.js";

/**
 * The columns of an event: those of a Parquet part. `timestamp` is in milliseconds since 1970 UTC.
 */
export interface EventColumns extends TypeMap {
  event: Utf8;
  timestamp: Int64;
  userID: Utf8;
  stableID: Utf8;
  value: Utf8;
  user: Utf8;
  metadata: Utf8;
  /** Absent if the mapping has no insert id, or with `insertId: false`. */
  insertID: Utf8;
}

const timestampType = new TimestampMillisecond("UTC");

/** Returns the schema of parts; that of `EventColumns` without a list of columns. */
export function schemaOf(options: RowsOptions): Schema {
  const columns = columnsOf(options, "columns");
  return new Schema(
    columns.map((column) => {
      const { name, source } = column;
      return new Field<DataType>(name, typeOf(column), !isRequired(source));
    }),
  );
}

function typeOf({ source, unit, type }: OutputColumn): DataType {
  if (source === "timestamp") return unit === "timestamp" ? timestampType : new Int64();
  if (type === undefined) return new Utf8();
  return type === "double" ? new Float64() : new Int64();
}

/** Makes Arrow record batches from the rows of a `ColumnBuffer`. One per worker. */
export class RecordBatches {
  readonly #region: Region;
  readonly #result: number;
  readonly #sources: readonly ColumnSource[];
  readonly #columns: readonly OutputColumn[];
  readonly #schema: Schema;

  /** With `copies`, batches own their memory; otherwise they are views of kernel memory. */
  constructor(
    private readonly kernel: Kernel,
    options: RowsOptions,
    private readonly copies = false,
  ) {
    this.#sources = textColumnsOf(options);
    this.#columns = columnsOf(options, "columns");
    this.#schema = schemaOf(options);
    this.#region = new Region(kernel, ARROW_BATCH_BYTES);
    this.#result = kernel.allocate(4 + this.#sources.length * 4);
  }

  /**
   * Returns the first rows as one batch: at least one row, and as many as fit into
   * `ARROW_BATCH_BYTES`. `next` is the index after the last of them. A view is valid until the next
   * call or allocation.
   */
  next({ rowBuffer, order, start, end }: OrderedRows): {
    batch: RecordBatch;
    next: number;
  } {
    const { run } = this.kernel;
    const to = Math.min(end, start + ARROW_BATCH_ROWS_MAX);
    const { columnList, columns } = rowBuffer;
    const list = [columnList, columns.length] as const;
    run.measureColumns(...list, order, start, to, ARROW_BATCH_BYTES, this.#result);
    const result = this.#result / 4;
    const [next = 0, ...sizes] = this.kernel.u32.subarray(result, result + 1 + columns.length);
    const rows = next - start;
    const bytes = sizes.reduce((sum, size) => sum + sizeOfTexts(rows, size), align(rows * 8));
    this.#region.ensure(bytes);
    let address = this.#region.address;
    const children = new Map<ColumnSource, Data>();
    for (const [index, name] of this.#sources.entries()) {
      const size = sizes[index] ?? 0;
      const rowsTaken = { order, start, end: next };
      const texts = this.#texts(columns[index]!.address, rowsTaken, address, size);
      const type = this.#columns.find(({ source }) => source === name)?.type;
      children.set(name, type === undefined ? texts : parseNumbers(type, texts));
      address += sizeOfTexts(rows, size);
    }
    const unit = this.#columns.find(({ source }) => source === "timestamp")?.unit ?? "ms";
    const unitMs = timestampUnits[unit];
    run.encodeTimestamps(rowBuffer.timestamps, order, start, next, address, unitMs);
    const times = this.#own(new BigInt64Array(this.kernel.memory.buffer, address, rows));
    const time = { length: rows, data: times };
    children.set(
      "timestamp",
      unit === "timestamp"
        ? makeData({ type: timestampType, ...time })
        : makeData({ type: new Int64(), ...time }),
    );
    const struct = makeData({
      type: new Struct(this.#schema.fields),
      length: rows,
      nullCount: 0,
      children: this.#columns.map(({ source }) => children.get(source)!),
    });
    return { batch: new RecordBatch(this.#schema, struct), next };
  }

  #texts(
    column: number,
    { order, start, end }: Omit<OrderedRows, "rowBuffer">,
    offsets: number,
    size: number,
  ): Data<Utf8> {
    const length = end - start;
    const validity = offsets + align((length + 1) * 4);
    const data = validity + align(Math.ceil(length / 8));
    const { run, memory } = this.kernel;
    const nullCount = run.encodeArrowTexts(column, order, start, end, offsets, data, validity);
    const bits = this.#own(new Uint8Array(memory.buffer, validity, Math.ceil(length / 8)));
    return makeData({
      type: new Utf8(),
      length,
      nullCount,
      nullBitmap: nullCount === 0 ? undefined : bits,
      valueOffsets: this.#own(new Int32Array(memory.buffer, offsets, length + 1)),
      data: this.#own(new Uint8Array(memory.buffer, data, size)),
    });
  }

  #own<Values extends Uint8Array | Int32Array | BigInt64Array>(view: Values): Values {
    return this.copies ? (view.slice() as Values) : view;
  }
}

/** Gathers the delivered rows of event batches into record batches that own their memory. */
export class RowBatches {
  readonly #rowBuffer: ColumnBuffer;
  readonly #order: number;
  readonly #batches: RecordBatches;

  constructor(kernel: Kernel, options: RowsOptions) {
    this.#rowBuffer = new ColumnBuffer(kernel, ARROW_BATCH_BYTES, options);
    this.#order = kernel.allocate(ROW_BUFFER_ROWS_MAX * 4);
    this.#batches = new RecordBatches(kernel, options, true);
    kernel.run.fillOrder(this.#order, ROW_BUFFER_ROWS_MAX);
  }

  /** Takes the rows of a batch and yields what is full. All of it must be consumed. */
  *add(events: EventBatch): Generator<RecordBatch> {
    let row = this.#rowBuffer.append(events, 0);
    while (row < events.rows) {
      yield* this.flush();
      row = this.#rowBuffer.append(events, row);
    }
  }

  /** Yields the rows that are left. */
  *flush(): Generator<RecordBatch> {
    const rowBuffer = this.#rowBuffer;
    for (let start = 0; start < rowBuffer.rows; ) {
      const rows = { rowBuffer, order: this.#order, start, end: rowBuffer.rows };
      const { batch, next } = this.#batches.next(rows);
      yield batch;
      start = next;
    }
    rowBuffer.clear();
  }
}

/** Parses texts that have a type. A number always has text, so an empty text is null. */
function parseNumbers(type: TextType, texts: Data<Utf8>): Data {
  const { length, nullCount, nullBitmap, valueOffsets: offsets, values: bytes } = texts;
  const doubles = new Float64Array(type === "double" ? length : 0);
  const bigints = new BigInt64Array(type === "bigint" ? length : 0);
  for (let row = 0; row < length; row++) {
    const [start, end] = [offsets[row]!, offsets[row + 1]!];
    if (start === end) continue;
    if (type === "double") doubles[row] = parseDouble(bytes, start, end);
    else bigints[row] = parseBigint(bytes, start, end);
  }
  const shared = { length, nullCount, nullBitmap: nullCount === 0 ? undefined : nullBitmap };
  return type === "double"
    ? makeData({ type: new Float64(), ...shared, data: doubles })
    : makeData({ type: new Int64(), ...shared, data: bigints });
}

/** Bytes of memory that a column of texts takes: offsets, validity and data. */
function sizeOfTexts(rows: number, bytes: number): number {
  return align((rows + 1) * 4) + align(Math.ceil(rows / 8)) + align(bytes + LOOSE_BYTES);
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
