import { rejectCodes } from "../../base/reject-codes.js";
import { type EventBatch, outcomes } from "../../batch/event-batch.js";
import type { EventCounter } from "../../profile/event-counts.js";
import type { Source } from "../../readers/source.js";
import type { RowCounts } from "../manifest.js";
import type { SplitRejects } from "./split-rejects.js";

/** Counts the rows of a split by outcome and passes on the rejected ones. */
export class SplitTally {
  read = 0;
  added = 0;
  #delivered = 0;
  #filtered = 0;
  #rejected = 0;
  #duplicates = 0;
  #refused = 0;

  /** The event counts belong to the worker; only this split uses them now. */
  constructor(
    private readonly rejects: SplitRejects,
    private readonly eventCounts: EventCounter | undefined,
    /** True if repeated events are removed. */
    private readonly findsDuplicates = false,
  ) {
    eventCounts?.clear();
  }

  get rejected(): number {
    return this.#rejected + this.#refused;
  }

  /**
   * Returns the number of rows to deliver. Throws if the mapper lost a row: every row of the batch
   * has to be in `events`.
   */
  take(source: Source, events: EventBatch): number {
    const { rows, outcomes: address, kernel } = events;
    const added = rows - events.batch.rows;
    if (added < 0) throw new Error(`the mapper gave ${rows} rows for ${events.batch.rows}`);
    const count = (outcome: number) => kernel.run.countOutcomes(address, rows, outcome);
    const delivered = count(outcomes.deliver);
    this.read += events.batch.rows;
    this.added += added;
    this.#delivered += delivered;
    this.eventCounts?.take(events);
    if (delivered === rows) return delivered;
    const filtered = count(outcomes.filtered);
    const duplicates = count(outcomes.duplicate);
    const rejected = rows - delivered - filtered - duplicates;
    this.#filtered += filtered;
    this.#duplicates += duplicates;
    this.#rejected += rejected;
    this.#hand(rejected, source, events);
    return delivered;
  }

  /** Keeps a delivered row for `Origin.keep`; calling the result makes it a reject. */
  keep(source: Source, events: EventBatch, row: number): (message: string) => void {
    const reject = this.rejects.keep(source, events, row, rejectCodes.destination_refused);
    return (message) => {
      this.#refused++;
      reject(message);
    };
  }

  rows(): RowCounts {
    return {
      read: this.read,
      added: this.added,
      delivered: this.#delivered - this.#refused,
      rejected: this.rejected,
      filtered: this.#filtered,
      ...(this.findsDuplicates ? { duplicates: this.#duplicates } : {}),
    };
  }

  /** Passes on the rejected rows of a batch. */
  #hand(rejected: number, source: Source, events: EventBatch): void {
    const { kernel, outcomes: address } = events;
    for (let row = 0, left = rejected; left > 0; row++) {
      const code = kernel.bytes[address + row]!;
      if (!isReject(code)) continue;
      this.rejects.add(source, events, row, code);
      left--;
    }
  }
}

function isReject(outcome: number): boolean {
  return (
    outcome !== outcomes.deliver && outcome !== outcomes.filtered && outcome !== outcomes.duplicate
  );
}
