import { BATCH_ROWS_MAX } from "../base/limits.js";
import { Column, cellKinds } from "../batch/column.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";
import type { PlainEvent } from "./transform-result.js";

/** A row of an event batch, before it is written to columns. */
export interface EventRow {
  readonly sourceRow: number;
  /** The event to deliver, or the outcome if there is none. */
  readonly result: PlainEvent | number;
  /** Message of a reject by the transform. */
  readonly words?: string;
}

const textNames = [
  "event",
  "userID",
  "stableID",
  "value",
  "user",
  "metadata",
  "insertID",
  "distinctID",
] as const;
type TextName = (typeof textNames)[number];

/** Columns of events, written row by row; they grow with the number of rows. */
export class EventRows {
  readonly #kernel: Kernel;
  readonly #bytes: Region;
  readonly #outcomes: Region;
  readonly #times: Region;
  #rowsMax = BATCH_ROWS_MAX;
  #columns: Readonly<Record<TextName, Column>>;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#bytes = new Region(kernel, 0);
    this.#outcomes = new Region(kernel, BATCH_ROWS_MAX);
    this.#times = new Region(kernel, BATCH_ROWS_MAX * 8);
    this.#columns = this.#createColumns();
  }

  /** Returns the rows as a batch made from `events`; valid until the next call. */
  write(events: EventBatch, rows: readonly EventRow[]): EventBatch {
    this.#makeRoom(rows);
    const { bytes, doubles } = this.#kernel;
    let top = this.#bytes.address;
    rows.forEach(({ sourceRow, result }, row) => {
      const isDelivered = typeof result !== "number";
      bytes[this.#outcomes.address + row] = isDelivered ? outcomes.deliver : result;
      if (!isDelivered) {
        // Rejected rows are counted on the days of their times.
        const time = doubles[events.timestamps / 8 + sourceRow] as number;
        doubles[this.#times.address / 8 + row] = time;
        return;
      }
      doubles[this.#times.address / 8 + row] = result.timestamp;
      for (const name of textNames) {
        const text = result[name];
        if (text === undefined) {
          this.#columns[name].set(row, cellKinds.null, 0, 0);
          continue;
        }
        const length = encoder.encodeInto(text, bytes.subarray(top)).written;
        this.#columns[name].set(row, kindOf(name, text), top, length);
        top += length;
      }
    });
    return {
      ...this.#columns,
      kernel: this.#kernel,
      rows: rows.length,
      batch: events.batch,
      sourceRow: (row) => (rows[row] as EventRow).sourceRow,
      outcomes: this.#outcomes.address,
      timestamps: this.#times.address,
      explain: (row) => {
        const { sourceRow, words } = rows[row] as EventRow;
        return words ?? events.explain(sourceRow);
      },
      trace: (row) => events.trace((rows[row] as EventRow).sourceRow),
    };
  }

  #makeRoom(rows: readonly EventRow[]): void {
    let size = 0;
    for (const { result } of rows) {
      if (typeof result === "number") continue;
      for (const name of textNames) size += Buffer.byteLength(result[name] ?? "");
    }
    this.#bytes.ensure(size);
    this.#outcomes.ensure(rows.length);
    this.#times.ensure(rows.length * 8);
    if (rows.length <= this.#rowsMax) return;
    this.#rowsMax = Math.max(rows.length, this.#rowsMax * 2);
    for (const column of Object.values(this.#columns)) column.free();
    this.#columns = this.#createColumns();
  }

  #createColumns(): Readonly<Record<TextName, Column>> {
    const create = () => new Column(this.#kernel, this.#rowsMax);
    return {
      event: create(),
      userID: create(),
      stableID: create(),
      value: create(),
      user: create(),
      metadata: create(),
      insertID: create(),
      distinctID: create(),
    };
  }
}

function kindOf(name: TextName, text: string) {
  if (name === "user" || name === "metadata") return cellKinds.object;
  return name === "value" && !text.startsWith('"') ? cellKinds.number : cellKinds.string;
}

const encoder = new TextEncoder();
