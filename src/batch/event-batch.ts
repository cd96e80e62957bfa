import type { Batch } from "./batch.js";
import type { Column } from "./column.js";
import type { Kernel } from "./kernel.js";

/** What becomes of a row after mapping; every other number is one of `rejectCodes`. */
export const outcomes = { deliver: 0, duplicate: 253, filtered: 254 } as const;

/**
 * Mapped rows in columns, row for row beside the batch they came from. Columns of rows whose outcome
 * is not `deliver` are undefined. Valid until the reader's or the mapper's next call.
 *
 * With a transform a row of the batch can become several rows here, one after another. What keeps
 * the accounts simple: every row of the batch has at least one row here; a row of the batch that is
 * rejected, filtered or a duplicate has exactly one, and one with an event has only delivered ones.
 * So rejects, filtered and duplicates are counted here, and the rows of the batch that are not among
 * them are the delivered ones, whatever the number of their events. There may be more rows than
 * BATCH_ROWS_MAX.
 */
export interface EventBatch {
  readonly kernel: Kernel;
  /** Rows here; with a transform there can be more or fewer than in the batch. */
  readonly rows: number;
  /** The batch this came from; `sourceRow` finds the row in it. */
  readonly batch: Batch;
  /** Row of `batch` that row `row` came from (the same number unless a transform is at work). */
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
  /** JSON object text. */
  readonly metadata: Column;
  /**
   * What tells a repeated event from another one, UTF-8 text or null, by row of `batch`; absent where
   * the mapper was not asked for it.
   */
  readonly insertID?: Column;
  /** Words for the reject of a row: what stood there and what was expected. */
  explain(row: number): string;
}
