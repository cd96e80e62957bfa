import { rejectCodes } from "../base/reject-codes.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import { type EventRow, EventRows } from "./event-rows.js";
import { parseValue } from "./lossless-values.js";
import type { Transform, TransformEvent } from "./transform.js";
import {
  checkEvent,
  type PlainEvent,
  type ResultLimits,
  type RowIds,
  TransformFault,
} from "./transform-result.js";

/**
 * Replaces each event by the result of the user's function. A row with one invalid result is rejected as a
 * whole, so that a retry cannot deliver the other results twice.
 */
export class TransformStage {
  readonly #rows: EventRows;

  constructor(
    kernel: Kernel,
    private readonly transform: Transform,
    private readonly limits: ResultLimits,
  ) {
    this.#rows = new EventRows(kernel);
  }

  apply(events: EventBatch): EventBatch {
    const rows: EventRow[] = [];
    for (let row = 0; row < events.rows; row++) {
      const outcome = events.kernel.bytes[events.outcomes + row] as number;
      if (outcome !== outcomes.deliver) {
        rows.push({ sourceRow: row, result: outcome });
        continue;
      }
      for (const transformed of this.#transformRow(events, row)) rows.push(transformed);
    }
    return this.#rows.write(events, rows);
  }

  #transformRow(events: EventBatch, row: number): readonly EventRow[] {
    try {
      const results = this.#call(readEvent(events, row), {
        insertID: events.insertID?.text(row),
        distinctID: events.distinctID?.text(row),
      });
      if (results.length === 0) return [{ sourceRow: row, result: outcomes.filtered }];
      return results.map((result) => ({ sourceRow: row, result }));
    } catch (error) {
      if (error instanceof TransformFault) {
        return [{ sourceRow: row, result: error.code, words: error.message }];
      }
      const words = `the transform failed: ${error instanceof Error ? error.message : String(error)}`;
      return [{ sourceRow: row, result: rejectCodes.transform_failed, words }];
    }
  }

  #call(event: TransformEvent, ids: RowIds): readonly PlainEvent[] {
    const result: unknown = this.transform(event);
    if (result === null) return [];
    if (isThenable(result)) {
      // An unhandled rejection would end the process.
      result.then(undefined, () => undefined);
      throw new TransformFault(
        rejectCodes.transform_failed,
        "a promise; it must not be asynchronous",
      );
    }
    if (result === undefined) {
      throw new TransformFault(
        rejectCodes.transform_failed,
        "undefined; return null to leave the event out",
      );
    }
    const results: readonly unknown[] = Array.isArray(result) ? result : [result];
    return results.map((each) => checkEvent(each, this.limits, ids));
  }
}

function readEvent(events: EventBatch, row: number): TransformEvent {
  const value = events.value.text(row);
  const insertID = events.insertID?.text(row);
  return {
    event: events.event.text(row) as string,
    timestamp: events.kernel.doubles[events.timestamps / 8 + row] as number,
    user: parseValue(events.user.text(row) as string) as Record<string, unknown>,
    metadata: parseValue(events.metadata.text(row) as string) as Record<string, unknown>,
    ...(value !== undefined && { value: parseValue(value) }),
    ...(insertID !== undefined && { insertID }),
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
