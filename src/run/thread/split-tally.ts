import { rejectCodes } from "../../base/reject-codes.js";
import type { Batch } from "../../batch/batch.js";
import { type Column, cellKinds } from "../../batch/column.js";
import { type EventBatch, outcomes } from "../../batch/event-batch.js";
import type { FieldValues } from "../../ledger/ledger-records.js";
import type { RowCounts } from "../../ledger/manifest.js";
import type { FieldGroup } from "../../mapper/field-plan.js";
import type { EventCounter } from "../../profile/event-counts.js";
import type { Source } from "../../sources/source.js";
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
    /** True if duplicates are removed. */
    private readonly findsDuplicates = false,
  ) {
    eventCounts?.clear();
  }

  get rejected(): number {
    return this.#rejected + this.#refused;
  }

  /**
   * Returns the number of rows to deliver. Throws if the mapper lost a row: every row of the batch
   * must be in `events`.
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

/** Counts the rows of a split in which the groups of mapped fields have a value. */
export class FieldValueTally {
  readonly #filled: number[];
  readonly #missing: FieldValues["missing"][number][] = [];
  #rows = 0;
  #rangeRows = 0;
  #rangeFilled: number[];

  constructor(private readonly groups: readonly FieldGroup[]) {
    this.#filled = groups.map(() => 0);
    this.#rangeFilled = groups.map(() => 0);
  }

  take({ kernel, columns, rows, faults }: Batch): void {
    // Nothing is known of a row that could not be read.
    this.#rangeRows += kernel.run.countOutcomes(faults, rows, 0);
    this.groups.forEach(({ indexes }, group) => {
      const filled = indexes.map((index) => {
        const { kinds } = columns[index] as Column;
        return rows - kernel.run.countOutcomes(kinds, rows, cellKinds.null);
      });
      // A lower bound: the fields of a group may have values in different rows.
      this.#rangeFilled[group] = (this.#rangeFilled[group] ?? 0) + Math.max(0, ...filled);
    });
  }

  /** Ends a range of a source. */
  endRange(source: string): void {
    const rows = this.#rangeRows;
    const groups = this.#rangeFilled.flatMap((filled, group) => (filled === 0 ? [group] : []));
    if (groups.length > 0) this.#missing.push({ source, rows, groups });
    this.#rangeFilled.forEach((filled, group) => {
      this.#filled[group] = (this.#filled[group] ?? 0) + filled;
    });
    this.#rows += rows;
    this.#rangeRows = 0;
    this.#rangeFilled = this.groups.map(() => 0);
  }

  values(): FieldValues {
    return { rows: this.#rows, filled: this.#filled, missing: this.#missing };
  }
}
