import { ROW_BUFFER_ROWS_MAX } from "../base/limits.js";
import { Column } from "../batch/column.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";

/** Kernels store in steps of 64 bytes and may pass the end of what they write. */
export const LOOSE_BYTES = 64;

/** The text columns of an event in the order in which kernels take them. */
export const textColumns = ["event", "userID", "stableID", "value", "user", "metadata"] as const;
export type TextColumn = (typeof textColumns)[number];

/** What fits of the rows that were to be taken. */
export interface TakenRows {
  /** The row after the last that fits. */
  readonly end: number;
  /** Those of them that are delivered, and their bytes. */
  readonly rows: number;
  readonly bytes: number;
  /** Of the first delivered row that does not fit; 0 where all fit. */
  readonly refusedBytes: number;
}

/**
 * Delivered events of one split, gathered in kernel memory until there are enough to be sorted into
 * days. Where it is full depends on the rows alone, not on the batches that they came in.
 */
export abstract class RowBuffer {
  readonly columns: readonly Column[];
  /** Address of the addresses (u32) of the columns' descriptors. */
  readonly columnList: number;
  /** Address of the timestamps as doubles. */
  readonly timestamps: number;
  /**
   * Address of the addresses (u32) of the descriptors of a batch, in the order of `textColumns`.
   */
  protected readonly sourceList: number;
  protected readonly result: number;
  readonly #arena: Region;
  #bytes = 0;
  #rows = 0;

  protected constructor(
    readonly kernel: Kernel,
    readonly bytesMax: number,
    columnCount: number,
  ) {
    this.columns = Array.from(
      { length: columnCount },
      () => new Column(kernel, ROW_BUFFER_ROWS_MAX),
    );
    this.columnList = kernel.allocate(columnCount * 4);
    this.sourceList = kernel.allocate(textColumns.length * 4);
    this.result = kernel.allocate(16);
    this.timestamps = kernel.allocate(ROW_BUFFER_ROWS_MAX * 8);
    this.#arena = new Region(kernel, bytesMax + LOOSE_BYTES);
    kernel.words.set(
      this.columns.map(({ address }) => address),
      this.columnList / 4,
    );
    for (const { address } of this.columns) kernel.run.clearCells(address, ROW_BUFFER_ROWS_MAX);
  }

  get rows(): number {
    return this.#rows;
  }

  /**
   * Takes the delivered rows of a batch from row `from` on, as many as fit, and returns the row to
   * go on with once the row buffer has been cleared; `events.rows` when all are in.
   */
  append(events: EventBatch, from: number): number {
    const { kernel } = this;
    const sources = textColumns.map((name) => events[name].address);
    kernel.words.set(sources, this.sourceList / 4);
    // Behind a row longer than a row buffer there is no room at all.
    let taken = this.#take(events, from, Math.max(0, this.bytesMax - this.#bytes));
    if (this.#rows === 0 && taken.rows === 0 && taken.refusedBytes > 0) {
      // A row longer than a row buffer is a row buffer of its own.
      this.#arena.ensure(taken.refusedBytes + LOOSE_BYTES);
      taken = this.#take(events, from, taken.refusedBytes);
    }
    this.#rows += taken.rows;
    this.#bytes += taken.bytes;
    return taken.end;
  }

  /**
   * Replaces what is in it by `rows` rows of packs (src/kernels/sink/spill.ts) that have `bytes`
   * bytes together. `load` writes these to an address, describes the rows in the columns and gives
   * back what the caller wants to know.
   */
  load<Result>(rows: number, bytes: number, load: (target: number) => Result): Result {
    this.#arena.ensure(bytes + LOOSE_BYTES);
    this.clear();
    const result = load(this.#arena.address);
    this.#rows = rows;
    this.#bytes = bytes;
    return result;
  }

  /** Earliest and latest timestamp of the rows at places [start, end) of an order. */
  timestampRange(order: number, start: number, end: number): [number, number] {
    this.kernel.run.findTimeRange(this.timestamps, order, start, end, this.result);
    const result = this.result / 8;
    const { doubles } = this.kernel;
    return [doubles[result]!, doubles[result + 1]!];
  }

  clear(): void {
    this.#rows = 0;
    this.#bytes = 0;
  }

  /**
   * Writes the delivered rows from `from` on to `target`, as many as fit into `bytesMax` bytes and
   * `rowsMax` rows, and describes them in the columns and timestamps behind those that are there.
   */
  protected abstract gather(
    events: EventBatch,
    from: number,
    bytesMax: number,
    rowsMax: number,
    target: number,
  ): TakenRows;

  /** What a kernel has said of the rows that fit, in the order of `TakenRows`. */
  protected takenRows(): TakenRows {
    const start = this.result / 4;
    const words = this.kernel.words.subarray(start, start + 4);
    const [end = 0, rows = 0, bytes = 0, refusedBytes = 0] = words;
    return { end, rows, bytes, refusedBytes };
  }

  #take(events: EventBatch, from: number, bytesMax: number): TakenRows {
    const target = this.#arena.address + this.#bytes;
    return this.gather(events, from, bytesMax, ROW_BUFFER_ROWS_MAX - this.#rows, target);
  }
}

/**
 * A row buffer of events as columns; of `value` its text. Columns lie in one piece for each batch.
 */
export class ColumnBuffer extends RowBuffer {
  constructor(kernel: Kernel, bytesMax: number) {
    super(kernel, bytesMax, textColumns.length);
  }

  protected gather(
    events: EventBatch,
    from: number,
    bytesMax: number,
    rowsMax: number,
    target: number,
  ): TakenRows {
    const { run } = this.kernel;
    const { outcomes, rows } = events;
    const sources = [this.sourceList, textColumns.length] as const;
    run.measureRows(outcomes, ...sources, from, rows, bytesMax, rowsMax, this.result);
    const taken = this.takenRows();
    if (taken.rows === 0) return taken;
    const targetRow = this.rows;
    let data = target;
    for (const [index, name] of textColumns.entries()) {
      const gather = name === "value" ? run.gatherScalarText : run.gatherCells;
      const [source, column] = [events[name].address, this.columns[index]!.address];
      data = gather(outcomes, source, from, taken.end, column, targetRow, data);
    }
    const timestamps = this.timestamps + targetRow * 8;
    run.gatherTimestamps(outcomes, events.timestamps, from, taken.end, timestamps);
    return taken;
  }
}

/** A column of a `ColumnBuffer`. */
export function columnOf({ columns }: RowBuffer, name: TextColumn): Column {
  const column = columns[textColumns.indexOf(name)];
  if (column === undefined) throw new Error(`a row buffer of lines has no column ${name}`);
  return column;
}

/**
 * A row buffer of events as JSON lines, its only column: they are made straight from the batch, and
 * from then on they are bytes that are ordered, spilled and written as they are.
 */
export class LineBuffer extends RowBuffer {
  constructor(kernel: Kernel, bytesMax: number) {
    super(kernel, bytesMax, 1);
  }

  protected gather(
    events: EventBatch,
    from: number,
    bytesMax: number,
    rowsMax: number,
    target: number,
  ): TakenRows {
    const { outcomes, timestamps, rows } = events;
    this.kernel.run.gatherLines(
      ...([outcomes, this.sourceList, timestamps, from, rows] as const),
      ...([this.columns[0]!.address, this.timestamps, this.rows, rowsMax] as const),
      ...([target, bytesMax, this.result] as const),
    );
    return this.takenRows();
  }
}
