import { SEGMENT_ROWS_MAX } from "../base/limits.js";
import { Column } from "../batch/column.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";

/** Kernels store in steps of 64 bytes and may pass the end of what they write. */
export const LOOSE_BYTES = 64;

/** The text columns of an event in the order in which kernels take them. */
export const textColumns = ["event", "userID", "stableID", "value", "user", "metadata"] as const;
export type TextColumn = (typeof textColumns)[number];

/**
 * What a segment's rows are to become. `columns`: all columns, and of `value` its text. `lines`: JSON
 * lines, for which `value` stays the token that it was, and ids are null, as `user` holds them: two
 * copies less for each row.
 */
export type SegmentUse = "columns" | "lines";

/**
 * Delivered events of one split, gathered in kernel memory until there are enough to be sorted into
 * days. Where it is full depends on the rows alone, not on the batches that they came in.
 */
export class Segment {
  readonly columns: Readonly<Record<TextColumn, Column>>;
  /** Address of the addresses (u32) of `textColumns`' descriptors. */
  readonly columnList: number;
  /** Address of the timestamps as doubles. */
  readonly timestamps: number;
  readonly #arena: Region;
  readonly #sourceList: number;
  readonly #result: number;
  #bytes = 0;
  #rows = 0;

  constructor(
    readonly kernel: Kernel,
    readonly bytesMax: number,
    private readonly use: SegmentUse,
  ) {
    const columns = textColumns.map(
      (name) => [name, new Column(kernel, SEGMENT_ROWS_MAX)] as const,
    );
    this.columns = Object.fromEntries(columns) as Record<TextColumn, Column>;
    this.columnList = kernel.allocate(textColumns.length * 4);
    this.#sourceList = kernel.allocate(textColumns.length * 4);
    this.#result = kernel.allocate(16);
    this.timestamps = kernel.allocate(SEGMENT_ROWS_MAX * 8);
    this.#arena = new Region(kernel, bytesMax + LOOSE_BYTES);
    kernel.words.set(
      columns.map(([, column]) => column.address),
      this.columnList / 4,
    );
    for (const [, column] of columns) kernel.run.clearCells(column.address, SEGMENT_ROWS_MAX);
  }

  get rows(): number {
    return this.#rows;
  }

  /**
   * Takes the delivered rows of a batch from row `from` on, as many as fit, and returns the row to go
   * on with once the segment has been cleared; `events.rows` when all are in.
   */
  append(events: EventBatch, from: number): number {
    const { kernel } = this;
    const sources = textColumns.map((name) => events[name].address);
    kernel.words.set(sources, this.#sourceList / 4);
    // Behind a row longer than a segment there is no room at all.
    let measured = this.#measure(events, from, Math.max(0, this.bytesMax - this.#bytes));
    if (this.#rows === 0 && measured.rows === 0 && measured.refusedBytes > 0) {
      // A row longer than a segment is a segment of its own.
      this.#arena.ensure(measured.refusedBytes + LOOSE_BYTES);
      measured = this.#measure(events, from, measured.refusedBytes);
    }
    if (measured.rows > 0) this.#gather(events, sources, from, measured.end);
    this.#rows += measured.rows;
    this.#bytes += measured.bytes;
    return measured.end;
  }

  /**
   * Replaces what is in it by `rows` rows of packs (src/kernels/sink/spill.ts) that have `bytes` bytes
   * together. `load` writes these to an address, describes the rows in the columns and gives back what
   * the caller wants to know.
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
    this.kernel.run.findTimeRange(this.timestamps, order, start, end, this.#result);
    const result = this.#result / 8;
    const { doubles } = this.kernel;
    return [doubles[result]!, doubles[result + 1]!];
  }

  clear(): void {
    this.#rows = 0;
    this.#bytes = 0;
  }

  #measure(events: EventBatch, from: number, bytesMax: number) {
    this.kernel.run.measureRows(
      events.outcomes,
      this.#sourceList,
      textColumns.length,
      from,
      events.rows,
      bytesMax,
      SEGMENT_ROWS_MAX - this.#rows,
      this.#result,
    );
    const [end = 0, rows = 0, bytes = 0, refusedBytes = 0] = this.kernel.words.subarray(
      this.#result / 4,
      this.#result / 4 + 4,
    );
    return { end, rows, bytes, refusedBytes };
  }

  #gather(events: EventBatch, sources: readonly number[], from: number, to: number): void {
    const { run } = this.kernel;
    const { outcomes } = events;
    let data = this.#arena.address + this.#bytes;
    for (const [index, name] of textColumns.entries()) {
      if (this.use === "lines" && (name === "userID" || name === "stableID")) continue;
      const gather =
        name === "value" && this.use === "columns" ? run.gatherScalarText : run.gatherCells;
      const source = sources[index] ?? 0;
      data = gather(outcomes, source, from, to, this.columns[name].address, this.#rows, data);
    }
    const target = this.timestamps + this.#rows * 8;
    run.gatherTimestamps(outcomes, events.timestamps, from, to, target);
  }
}
