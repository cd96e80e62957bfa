import type { EventBatch } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import { Segment, type TakenRows } from "./segment.js";

/**
 * A segment of events as JSON lines, its only column: they are made straight from the batch, and from
 * then on they are bytes that are ordered, spilled and written as they are.
 */
export class LineSegment extends Segment {
  constructor(kernel: Kernel, bytesMax: number) {
    super(kernel, bytesMax, 1);
  }

  protected gather(
    events: EventBatch,
    from: number,
    bytesMax: number,
    rowsMax: number,
    target: number,
  ): TakenRows {
    const { outcomes, timestamps, rows } = events;
    this.kernel.run.gatherLines(
      ...([outcomes, this.sourceList, timestamps, from, rows] as const),
      ...([this.columns[0]!.address, this.timestamps, this.rows, rowsMax] as const),
      ...([target, bytesMax, this.result] as const),
    );
    return this.takenRows();
  }
}
