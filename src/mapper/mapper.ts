import type { Batch, FieldRequest } from "../batch/batch.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { SplitRenames } from "../target/split-renames.js";
import type { FieldGroup } from "./field-plan.js";

/** Maps rows to events, column by column. Bad rows get a reject code; only bugs throw. */
export interface Mapper {
  /** Fields for the readers to extract; batches have these columns in this order. */
  readonly fields: readonly FieldRequest[];
  /** Groups of these fields that are expected to have values. */
  readonly groups: readonly FieldGroup[];
  /** The result is valid until the next call. */
  map(batch: Batch): EventBatch;
  /** Counts of observations that are not rejects, such as id collisions. */
  readonly notices: Readonly<Record<string, number>>;
  /** Returns the names that the target does not take, since the last call; undefined without rules. */
  takeRenames(): SplitRenames | undefined;
}
