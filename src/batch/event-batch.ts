import type { Batch } from "./batch.js";
import type { Column } from "./column.js";
import type { Kernel } from "./kernel.js";
import type { TraceStep } from "./row-trace.js";

/** The result of mapping a row; every other number is one of `rejectCodes`. */
export const outcomes = { deliver: 0, duplicate: 253, filtered: 254 } as const;

/**
 * Mapped rows in columns, in the order of the batch they came from. Columns of rows whose outcome
 * is not `deliver` are undefined. Valid until the next call of the reader or the mapper.
 *
 * A transform can make several consecutive rows here of one row of the batch, so there may be more
 * rows than BATCH_ROWS_MAX. Every row of the batch has at least one row here. A rejected or filtered
 * row has exactly one; a row with an event has only delivered ones. So rejects and filtered rows
 * are counted here. All other rows of the batch are delivered, whatever their number of events.
 */
export interface EventBatch {
  readonly kernel: Kernel;
  /** The number of rows here; a transform can make it differ from the batch. */
  readonly rows: number;
  /** The batch that these rows came from; `sourceRow` finds the row in it. */
  readonly batch: Batch;
  /** Returns the row of `batch` that row `row` came from (the same number without a transform). */
  sourceRow(row: number): number;
  /** Address of `rows` u8: `outcomes` or a reject code. */
  readonly outcomes: number;
  /** UTF-8 text, never null. */
  readonly event: Column;
  /** Address of `rows` doubles: milliseconds since 1970 UTC, whole numbers. */
  readonly timestamps: number;
  /** UTF-8 text or null. */
  readonly userID: Column;
  /** UTF-8 text or null. */
  readonly stableID: Column;
  /** JSON scalar token (a quoted string or a number) or null. */
  readonly value: Column;
  /** JSON object text: the ids first, then the user's properties. */
  readonly user: Column;
  /** Address of the fields of a target that are in `user` right behind the ids; absent if none were moved. */
  readonly userFields?: number;
  /** JSON object text. */
  readonly metadata: Column;
  /** The id that identifies repeated events, UTF-8 text or null. Absent if the mapper was not asked for it. */
  readonly insertID?: Column;
  /** The id of the key of repeated events, UTF-8 text or null. Absent if the mapper was not asked for it. */
  readonly distinctID?: Column;
  /** Describes why a row is rejected: the actual value and the expected one. */
  explain(row: number): string;
  /** Returns where the values of a delivered row are from, before privacy and transform. For samples: slow. */
  trace(row: number): readonly TraceStep[];
}
