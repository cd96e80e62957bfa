import { rejectCodes } from "../../base/reject-codes.js";
import type { EventBatch } from "../../batch/event-batch.js";
import { outcomes } from "../../batch/event-batch.js";
import type { EventCensus } from "../../profile/census.js";
import type { Source } from "../../readers/source.js";
import type { RowCounts } from "../manifest.js";
import type { SplitRejects } from "./split-rejects.js";

const OUTCOMES = 256;

/** Counts what became of each row of a split and the delivered events, and hands the rejected ones on. */
export class SplitTally {
  read = 0;
  added = 0;
  #refused = 0;
  readonly #counts = new Float64Array(OUTCOMES);
  readonly #batchCounts = new Uint32Array(OUTCOMES);

  /** The census is that of the worker; this split has it alone. */
  constructor(
    private readonly rejects: SplitRejects,
    private readonly census: EventCensus | undefined,
  ) {
    census?.clear();
  }

  get rejected(): number {
    return this.#counts.reduce(
      (sum, rows, code) => (isReject(code) ? sum + rows : sum),
      this.#refused,
    );
  }

  /**
   * Gives the number of rows to be delivered. Throws when a mapper lost a row: every row of the batch
   * has to be in `events`.
   */
  take(source: Source, events: EventBatch): number {
    const { rows, outcomes: address, kernel } = events;
    const added = rows - events.batch.rows;
    if (added < 0) throw new Error(`the mapper gave ${rows} rows for ${events.batch.rows}`);
    this.read += events.batch.rows;
    this.added += added;
    this.#batchCounts.fill(0);
    countOutcomes(kernel.bytes, address, rows, this.#batchCounts);
    this.census?.take(events);
    let rejected = 0;
    for (let code = 0; code < OUTCOMES; code++) {
      const count = this.#batchCounts[code]!;
      this.#counts[code]! += count;
      if (isReject(code)) rejected += count;
    }
    for (let row = 0; rejected > 0; row++) {
      const code = kernel.bytes[address + row]!;
      if (!isReject(code)) continue;
      this.rejects.add(source, events, row, code);
      rejected--;
    }
    return this.#batchCounts[outcomes.deliver]!;
  }

  /** Keeps a delivered row for `Origin.keep`: it is a reject once the result is called. */
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
      delivered: this.#counts[outcomes.deliver]! - this.#refused,
      rejected: this.rejected,
      filtered: this.#counts[outcomes.filtered]!,
      duplicates: this.#counts[outcomes.duplicate]!,
    };
  }
}

function isReject(outcome: number): boolean {
  return (
    outcome !== outcomes.deliver && outcome !== outcomes.filtered && outcome !== outcomes.duplicate
  );
}

function countOutcomes(bytes: Uint8Array, start: number, rows: number, counts: Uint32Array): void {
  for (let index = start; index < start + rows; index++) counts[bytes[index]!]!++;
}
