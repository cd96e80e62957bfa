import type { NestedBuilder } from "../batch/nested-builder.js";
import type { NestedNode } from "../batch/nested-node.js";
import { ColumnRows } from "./column-rows.js";

/**
 * A column in a row group whose values are used only in rows without a text in another column. Its pages
 * are read for batches with such a row, and for raw rows.
 */
export class FallbackRows extends ColumnRows {
  /** Rows that were skipped, and those among them that were read. */
  #skipped = 0;
  #read = 0;

  override fill(): void {}

  override get ready(): number {
    return Number.POSITIVE_INFINITY;
  }

  override pointedSize(): number {
    return 0;
  }

  override take(builder: NestedBuilder, rows: number): NestedNode {
    return this.#takeFrom(this.#skipped, builder, rows);
  }

  /** Builds the last `rows` rows that were skipped and not taken. Throws `SourceError`. */
  takeSkipped(builder: NestedBuilder, rows: number): NestedNode {
    return this.#takeFrom(this.#skipped - rows, builder, rows);
  }

  override skip(rows: number): void {
    this.#skipped += rows;
  }

  #takeFrom(start: number, builder: NestedBuilder, rows: number): NestedNode {
    while (this.#read < start) {
      super.fill();
      const count = Math.min(start - this.#read, super.ready);
      super.skip(count);
      this.#read += count;
    }
    super.fill(rows);
    const node = super.take(builder, rows);
    super.skip(rows);
    this.#read += rows;
    return node;
  }
}
