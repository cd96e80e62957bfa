import { BATCH_ROWS_MAX } from "../base/limits.js";
import { Column } from "../batch/column.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, LOOSE_BYTES, Region } from "../batch/kernel.js";

const UUID_BYTES = 36;
/** Bytes of a user of the platform beside those of the event's user. */
const USER_MORE_BYTES = 27;

/** A column that is made of columns of a batch. Kernel memory is allocated once. */
abstract class DerivedColumn {
  readonly #texts: Region;
  #column: Column;
  #rowsMax = BATCH_ROWS_MAX;

  constructor(protected readonly kernel: Kernel) {
    this.#column = new Column(kernel, BATCH_ROWS_MAX);
    this.#texts = new Region(kernel, 0);
  }

  /** Returns its address; valid for the rows of the batch from `from` on, until the next call. */
  make(events: EventBatch, from: number): number {
    const { rows } = events;
    if (rows > this.#rowsMax) {
      this.#column.free();
      this.#column = new Column(this.kernel, rows);
      this.#rowsMax = rows;
    }
    this.#texts.ensure(this.bytesMax(events, from) + LOOSE_BYTES);
    this.fill(events, from, this.#column.address, this.#texts.address);
    return this.#column.address;
  }

  protected abstract bytesMax(events: EventBatch, from: number): number;
  protected abstract fill(events: EventBatch, from: number, target: number, data: number): void;
}

/**
 * The `timeuuid` of events: the UUID of version 5 of their insert ids. Events that a transform made
 * of one row have the insert id of that row: their UUIDs differ all the same.
 */
class TimeUuids extends DerivedColumn {
  readonly #siblings = new Region(this.kernel, 0);

  protected bytesMax({ rows }: EventBatch, from: number): number {
    return (rows - from) * UUID_BYTES;
  }

  protected fill(events: EventBatch, from: number, target: number, data: number): void {
    const { rows, outcomes, insertID } = events;
    if (insertID === undefined) throw new Error("the mapper was not asked for insert ids");
    const siblings = this.#siblingsOf(events);
    const { run } = this.kernel;
    run.makeTimeUuids(outcomes, insertID.address, siblings, from, rows, target, data);
  }

  /** Returns the address of each row's index among the events of its source row; 0 if all are 0. */
  #siblingsOf(events: EventBatch): number {
    const { rows } = events;
    if (rows === events.batch.rows) return 0;
    this.#siblings.ensure(rows * 4);
    const { u32 } = this.kernel;
    const start = this.#siblings.address / 4;
    u32[start] = 0;
    for (let row = 1; row < rows; row++) {
      const isSibling = events.sourceRow(row) === events.sourceRow(row - 1);
      u32[start + row] = isSibling ? u32[start + row - 1]! + 1 : 0;
    }
    return this.#siblings.address;
  }
}

/** The users of events in the form of bucket ingestion: src/kernels/sink/platform-user.ts. */
class PlatformUsers extends DerivedColumn {
  protected bytesMax({ outcomes, user, rows }: EventBatch): number {
    return this.kernel.run.cellBytes(outcomes, user.address, rows) + rows * USER_MORE_BYTES;
  }

  protected fill(events: EventBatch, from: number, target: number, data: number): void {
    const { outcomes, user, rows, userFields = 0 } = events;
    const { run } = this.kernel;
    run.makePlatformUsers(outcomes, user.address, from, rows, target, data, userFields);
  }
}

export const derivedColumns = { timeuuid: TimeUuids, platformUser: PlatformUsers } as const;
export type DerivedName = keyof typeof derivedColumns;
