import type { Batch, FieldRequest } from "../batch/batch.js";
import type { EventBatch } from "../batch/event-batch.js";

/** Maps rows to events, column by column. Bad rows get a reject code; only bugs throw. */
export interface Mapper {
  /** Fields for the readers to extract; batches have these columns in this order. */
  readonly fields: readonly FieldRequest[];
  /** The result is valid until the next call. */
  map(batch: Batch): EventBatch;
  /** Counts of observations that are not rejects, such as id collisions. */
  readonly notices: Readonly<Record<string, number>>;
}
