import { BATCH_ROWS_MAX, SEND_TEXT_BYTES } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";
import {
  parseColumn,
  type RowsOptions,
  type TextColumn,
  textColumnsOf,
} from "../sinks/output-columns.js";
import { columnAddresses, type DerivedColumns, derivedOf } from "../sinks/row-buffer.js";
import { RowTexts } from "../sinks/row-texts.js";
import { placeTextLayout } from "../sinks/text-layout.js";
import { type BodyForm, bodyMembers } from "./body-form.js";

const LINE_END = 0x0a;
function rowsOf(form: BodyForm): RowsOptions {
  const columns = bodyMembers[form]?.map(parseColumn).filter((column) => column !== undefined);
  return { withInsertID: false, ...omitUndefined({ columns }) };
}

/** An event to be sent: its text, which stays valid, and its row in the event batch. */
export interface EventLine {
  readonly row: number;
  /** JSON, without a line end. */
  readonly text: Uint8Array;
}

/** Encodes the delivered rows of batches one by one. Kernel memory is allocated once. */
export class EventLines {
  readonly #texts: RowTexts;
  readonly #columnList: number;
  readonly #order: Region;
  readonly #columns: readonly TextColumn[];
  readonly #derived: Partial<DerivedColumns>;

  constructor(
    private readonly kernel: Kernel,
    form: BodyForm = "object",
  ) {
    const { measureLine: measure, encodeLines: encode } = kernel.run;
    const rows = rowsOf(form);
    const layout = placeTextLayout(kernel, rows, "lines");
    this.#texts = new RowTexts(kernel, { layout, measure, encode }, SEND_TEXT_BYTES);
    this.#columns = textColumnsOf(rows);
    this.#derived = derivedOf(kernel, this.#columns);
    this.#columnList = kernel.allocate(this.#columns.length * 4);
    this.#order = new Region(kernel, BATCH_ROWS_MAX * 4);
  }

  /**
   * Yields the events of a batch in order. The batch must stay valid until the last one is taken.
   */
  *of(events: EventBatch): Iterable<EventLine> {
    const { kernel } = this;
    const count = this.#select(events);
    const columns = { columnList: this.#columnList, timestamps: events.timestamps };
    const addresses = columnAddresses(events, this.#columns, this.#derived);
    kernel.u32.set(addresses, this.#columnList / 4);
    for (let place = 0; place < count; ) {
      const start = place;
      place = this.#texts.encode(columns, this.#order.address, start, count);
      // A copy, because the kernel's memory is overwritten while requests are in progress.
      const bytes = Buffer.from(this.#texts.bytes);
      let from = 0;
      for (let index = start; index < place; index++) {
        const end = bytes.indexOf(LINE_END, from);
        const row = kernel.u32[this.#order.address / 4 + index] ?? 0;
        yield { row, text: bytes.subarray(from, end) };
        from = end + 1;
      }
    }
  }

  /** Writes the numbers of the delivered rows into the order and returns their count. */
  #select(events: EventBatch): number {
    this.#order.ensure(events.rows * 4);
    const { bytes, u32 } = this.kernel;
    const order = this.#order.address / 4;
    let count = 0;
    for (let row = 0; row < events.rows; row++) {
      if (bytes[events.outcomes + row] === outcomes.deliver) u32[order + count++] = row;
    }
    return count;
  }
}
