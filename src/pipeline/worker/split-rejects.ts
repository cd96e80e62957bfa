import type { EventBatch } from "../../batch/event-batch.js";
import type { Source } from "../../readers/source.js";
import type { RejectSummary } from "../manifest.js";

/** What becomes of the rejected rows of one split. Memory does not grow with their number. */
export interface SplitRejects {
  /** Takes row `row` of `events`, which was rejected with `code`. */
  add(source: Source, events: EventBatch, row: number, code: number): void;
  /** Keeps the row beyond the life of its batch: it is taken once the result is called with a message. */
  keep(source: Source, events: EventBatch, row: number, code: number): (message: string) => void;
  /** Counts and one example for each code, in the order of the codes' numbers. */
  summary(): readonly RejectSummary[];
  /** Makes what is to be kept durable and visible; nothing is before. */
  commit(): Promise<void>;
  abort(): void;
}

export type OpenRejects = (splitId: string) => SplitRejects;
