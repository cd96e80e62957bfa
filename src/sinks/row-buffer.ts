import { ROW_BUFFER_ROWS_MAX } from "../base/limits.js";
import { Column } from "../batch/column.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, LOOSE_BYTES, Region } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { lineGatheringLayout } from "../batch/layouts.js";
import { type DerivedName, derivedColumns } from "./derived-columns.js";
import {
  type RowForm,
  type RowsOptions,
  type TextColumn,
  textColumnsOf,
} from "./output-columns.js";
import { placeTextLayout } from "./text-layout.js";

/** Makes the columns that batches do not have. */
export type DerivedColumns = Readonly<
  Record<DerivedName, { make(events: EventBatch, from: number): number }>
>;

/** Creates the columns among these that are made of others. */
export function derivedOf(kernel: Kernel, names: readonly TextColumn[]): Partial<DerivedColumns> {
  const derived = names.filter((name) => name in derivedColumns) as DerivedName[];
  return Object.fromEntries(derived.map((name) => [name, new derivedColumns[name](kernel)]));
}

/** Returns the addresses of columns of a batch, whose rows from `from` on are needed. */
export function columnAddresses(
  events: EventBatch,
  names: readonly TextColumn[],
  derived: Partial<DerivedColumns> = {},
  from = 0,
): number[] {
  return names.map((name) => {
    const address =
      name === "timeuuid" || name === "platformUser"
        ? derived[name]?.make(events, from)
        : events[name]?.address;
    if (address === undefined) throw new Error(`the events have no column ${name}`);
    return address;
  });
}

/** Creates the row buffer that a format reads. */
export function createRowBuffer(
  kernel: Kernel,
  format: RowsOptions & { readonly rows: RowForm; readonly hasEvents?: boolean },
  bytesMax: number,
): RowBuffer {
  return new (format.rows === "lines" ? LineBuffer : ColumnBuffer)(kernel, bytesMax, format);
}

/** The rows that fit into a row buffer. */
interface TakenRows {
  /** The row after the last that fits. */
  readonly end: number;
  /** Delivered rows among them, and their bytes. */
  readonly rows: number;
  readonly bytes: number;
  /** Bytes of the first delivered row that does not fit; 0 if all fit. */
  readonly refusedBytes: number;
}

/**
 * Delivered events of one split, gathered in kernel memory until they are sorted into days. Whether
 * it is full depends on the rows alone, not on the batches that they came in.
 */
export abstract class RowBuffer {
  readonly columns: readonly Column[];
  /** Address of the addresses (u32) of the columns' descriptors. */
  readonly columnList: number;
  /** Address of the timestamps as doubles. */
  readonly timestamps: number;
  /**
   * Address of the addresses (u32) of the descriptors of a batch, in the order of `names`.
   */
  protected readonly sourceList: number;
  protected readonly result: number;
  readonly #arena: Region;
  readonly #derived: Partial<DerivedColumns>;
  /** Bytes of memory that one byte of rows may take. */
  readonly #copies: number;
  #bytes = 0;
  #rows = 0;

  protected constructor(
    readonly kernel: Kernel,
    readonly bytesMax: number,
    columnCount: number,
    /** The texts that are taken from batches. */
    protected readonly names: readonly TextColumn[],
    copies = 1,
  ) {
    this.#copies = copies;
    this.#derived = derivedOf(kernel, names);
    this.columns = Array.from(
      { length: columnCount },
      () => new Column(kernel, ROW_BUFFER_ROWS_MAX),
    );
    this.columnList = kernel.allocate(columnCount * 4);
    this.sourceList = kernel.allocate(names.length * 4);
    this.result = kernel.allocate(16);
    this.timestamps = kernel.allocate(ROW_BUFFER_ROWS_MAX * 8);
    this.#arena = new Region(kernel, copies * bytesMax + LOOSE_BYTES);
    kernel.u32.set(
      this.columns.map(({ address }) => address),
      this.columnList / 4,
    );
    for (const { address } of this.columns) kernel.run.clearCells(address, ROW_BUFFER_ROWS_MAX);
  }

  get rows(): number {
    return this.#rows;
  }

  /** The names of the events. */
  abstract get eventColumn(): Column;

  /** Returns a column of a `ColumnBuffer`. */
  column(name: TextColumn): Column {
    const column = this.columns[this.names.indexOf(name)];
    if (column === undefined) throw new Error(`the row buffer has no column ${name}`);
    return column;
  }

  /**
   * Takes the delivered rows of a batch from row `from` on, as many as fit. Returns the row to
   * continue with when the row buffer has been cleared; `events.rows` if all are in.
   */
  append(events: EventBatch, from: number): number {
    const { kernel } = this;
    const addresses = columnAddresses(events, this.names, this.#derived, from);
    kernel.u32.set(addresses, this.sourceList / 4);
    // After a row that is longer than the row buffer there is no room.
    let taken = this.#take(events, from, Math.max(0, this.bytesMax - this.#bytes));
    if (this.#rows === 0 && taken.rows === 0 && taken.refusedBytes > 0) {
      // A row that is longer than the row buffer fills it alone.
      this.#arena.ensure(this.#copies * taken.refusedBytes + LOOSE_BYTES);
      taken = this.#take(events, from, taken.refusedBytes);
    }
    this.#rows += taken.rows;
    this.#bytes += taken.bytes;
    return taken.end;
  }

  /**
   * Replaces the content by `rows` rows of packs (src/kernels/sink/spill.ts) with `bytes` bytes in
   * total. `load` writes them to an address and describes the rows in the columns; its result is
   * returned.
   */
  load<Result>(rows: number, bytes: number, load: (target: number) => Result): Result {
    this.#arena.ensure(bytes + LOOSE_BYTES);
    this.clear();
    const result = load(this.#arena.address);
    this.#rows = rows;
    this.#bytes = bytes;
    return result;
  }

  /** Returns the earliest and latest timestamp of the rows at indexes [start, end) of an order. */
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
   * `rowsMax` rows, and describes them in the columns and timestamps after those that are there.
   */
  protected abstract gather(
    events: EventBatch,
    from: number,
    bytesMax: number,
    rowsMax: number,
    target: number,
  ): TakenRows;

  /** Reads the result of a kernel, in the order of `TakenRows`. */
  protected takenRows(): TakenRows {
    const start = this.result / 4;
    const words = this.kernel.u32.subarray(start, start + 4);
    const [end = 0, rows = 0, bytes = 0, refusedBytes = 0] = words;
    return { end, rows, bytes, refusedBytes };
  }

  #take(events: EventBatch, from: number, bytesMax: number): TakenRows {
    const target = this.#arena.address + this.#bytes;
    return this.gather(events, from, bytesMax, ROW_BUFFER_ROWS_MAX - this.#rows, target);
  }
}

/**
 * A row buffer of events as columns; `value` is the text of the value. A column of one batch is
 * contiguous.
 */
export class ColumnBuffer extends RowBuffer {
  constructor(kernel: Kernel, bytesMax: number, options: RowsOptions) {
    const names = textColumnsOf(options);
    super(kernel, bytesMax, names.length, names);
  }

  get eventColumn(): Column {
    return this.column("event");
  }

  protected gather(
    events: EventBatch,
    from: number,
    bytesMax: number,
    rowsMax: number,
    target: number,
  ): TakenRows {
    const { run, u32 } = this.kernel;
    const { outcomes, rows } = events;
    const sources = [this.sourceList, this.names.length] as const;
    run.measureRows(outcomes, ...sources, from, rows, bytesMax, rowsMax, this.result);
    const taken = this.takenRows();
    if (taken.rows === 0) return taken;
    const targetRow = this.rows;
    let data = target;
    for (const [index, name] of this.names.entries()) {
      const [source, column] = [u32[this.sourceList / 4 + index]!, this.columns[index]!.address];
      const isScalar = name === "value" ? 1 : 0;
      data = run.gatherCells(outcomes, source, from, taken.end, column, targetRow, data, isScalar);
    }
    const timestamps = this.timestamps + targetRow * 8;
    run.gatherTimestamps(outcomes, events.timestamps, from, taken.end, timestamps);
    return taken;
  }
}

/** Rows of a row buffer: indexes [start, end) of the order (address of u32 row numbers). */
export interface OrderedRows {
  readonly rowBuffer: RowBuffer;
  readonly order: number;
  readonly start: number;
  readonly end: number;
}

/**
 * A row buffer of events as JSON lines, its first column. Lines are made from the batch once; after
 * that they are ordered, spilled and written as bytes. The names of the events are a second column
 * if each event has a directory.
 */
export class LineBuffer extends RowBuffer {
  readonly #gathering: KernelRecord<keyof typeof lineGatheringLayout.words>;

  constructor(
    kernel: Kernel,
    bytesMax: number,
    options: RowsOptions & { readonly hasEvents?: boolean },
  ) {
    const columns = options.hasEvents === true ? 2 : 1;
    super(kernel, bytesMax, columns, textColumnsOf(options), columns);
    this.#gathering = new KernelRecord(kernel, lineGatheringLayout);
    this.#gathering.set("layout", placeTextLayout(kernel, options, "lines"));
    this.#gathering.set("target", this.columns[0]!.address);
    this.#gathering.set("targetTimestamps", this.timestamps);
  }

  get eventColumn(): Column {
    const column = this.columns[1];
    if (column === undefined) throw new Error("the row buffer has no column of events");
    return column;
  }

  protected gather(
    events: EventBatch,
    from: number,
    bytesMax: number,
    rowsMax: number,
    target: number,
  ): TakenRows {
    const { outcomes, timestamps, rows } = events;
    const gathering = this.#gathering;
    gathering.set("targetRow", this.rows);
    gathering.set("rowsMax", rowsMax);
    gathering.set("data", target);
    gathering.set("bytesMax", bytesMax);
    const { run } = this.kernel;
    run.gatherLines(gathering.address, outcomes, this.sourceList, timestamps, from, rows);
    const end = gathering.get("end");
    let bytes = gathering.get("bytes");
    const column = this.columns[1]?.address;
    if (column !== undefined) {
      const event = events.event.address;
      const names = target + bytes;
      bytes = run.gatherCells(outcomes, event, from, end, column, this.rows, names, 0) - target;
    }
    const refusedBytes = gathering.get("refusedBytes");
    return { end, rows: gathering.get("rows"), bytes, refusedBytes };
  }
}
