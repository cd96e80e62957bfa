import type { Batch, FieldRequest } from "../batch/batch.js";
import type { EventBatch } from "../batch/event-batch.js";

/** Rows to events, column by column. Bad rows get a reject code; only bugs throw. */
export interface Mapper {
  /** What the readers have to extract; batches have these columns in this order. */
  readonly fields: readonly FieldRequest[];
  /** The result is valid until the next call. */
  map(batch: Batch): EventBatch;
  /** What the mapping noticed that is no reject, added up: id collisions and the like. */
  readonly notices: Readonly<Record<string, number>>;
}
