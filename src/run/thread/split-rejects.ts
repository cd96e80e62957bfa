import type { EventBatch } from "../../batch/event-batch.js";
import type { RejectSummary } from "../../ledger/manifest.js";
import type { Source } from "../../sources/source.js";

/** Receives the rejected rows of one split. Memory does not grow with their number. */
export interface SplitRejects {
  /** Takes row `row` of `events`, which was rejected with `code`. */
  add(source: Source, events: EventBatch, row: number, code: number): void;
  /**
   * Keeps the row beyond the life of its batch; calling the result with a message records it as rejected.
   */
  keep(source: Source, events: EventBatch, row: number, code: number): (message: string) => void;
  /** Returns counts and one example for each code, ordered by code number. */
  summary(): readonly RejectSummary[];
  /** Makes the kept rows durable and visible. */
  commit(): Promise<void>;
  abort(): void;
}

export type OpenRejects = (splitId: string) => SplitRejects;
