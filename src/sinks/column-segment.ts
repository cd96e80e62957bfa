import type { Column } from "../batch/column.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import { Segment, type TakenRows, type TextColumn, textColumns } from "./segment.js";

/** A segment of events as columns; of `value` its text. Columns lie in one piece for each batch. */
export class ColumnSegment extends Segment {
  constructor(kernel: Kernel, bytesMax: number) {
    super(kernel, bytesMax, textColumns.length);
  }

  protected gather(
    events: EventBatch,
    from: number,
    bytesMax: number,
    rowsMax: number,
    target: number,
  ): TakenRows {
    const { run } = this.kernel;
    const { outcomes, rows } = events;
    const sources = [this.sourceList, textColumns.length] as const;
    run.measureRows(outcomes, ...sources, from, rows, bytesMax, rowsMax, this.result);
    const taken = this.takenRows();
    if (taken.rows === 0) return taken;
    const targetRow = this.rows;
    let data = target;
    for (const [index, name] of textColumns.entries()) {
      const gather = name === "value" ? run.gatherScalarText : run.gatherCells;
      const [source, column] = [events[name].address, this.columns[index]!.address];
      data = gather(outcomes, source, from, taken.end, column, targetRow, data);
    }
    const timestamps = this.timestamps + targetRow * 8;
    run.gatherTimestamps(outcomes, events.timestamps, from, taken.end, timestamps);
    return taken;
  }
}

/** A column of a `ColumnSegment`. */
export function columnOf({ columns }: Segment, name: TextColumn): Column {
  const column = columns[textColumns.indexOf(name)];
  if (column === undefined) throw new Error(`a segment of lines has no column ${name}`);
  return column;
}
