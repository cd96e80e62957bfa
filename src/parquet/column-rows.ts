import { sum } from "../base/sum.js";
import { ListMismatch, type NestedBuilder, structSize } from "../batch/nested-builder.js";
import type { NestedNode } from "../batch/nested-node.js";
import type { RowGroup } from "./footer.js";
import type { Leaf } from "./leaf.js";
import type { PageSource } from "./leaf-entries.js";
import { LeafRows } from "./leaf-rows.js";
import { columnDamaged } from "./parquet-errors.js";
import type { SchemaNode } from "./schema-tree.js";

/** The rows of one column in a row group. Each of its leaves is read at its own pace. */
export class ColumnRows {
  readonly #leaves: readonly LeafRows[];
  /** Bytes that merging the leaves takes at most. */
  readonly #mergedSize: number;

  constructor(
    private readonly source: PageSource,
    private readonly column: SchemaNode,
    leaves: readonly Leaf[],
    { chunks, rows }: RowGroup,
  ) {
    this.#leaves = leaves.map((leaf) => new LeafRows(source, leaf, chunks[leaf.chunk]!, rows));
    this.#mergedSize = leaves.length === 1 ? 0 : mergedSize(column);
  }

  /** Makes more rows ready, at least `rows` if they are left. Throws `SourceError`. */
  fill(rows = 1): void {
    for (const leaf of this.#leaves) leaf.fill(rows);
  }

  /** True if each of the next `rows` rows has a text that is not empty. Only for columns of texts. */
  areFilled(rows: number): boolean {
    return this.#leaves.every((leaf) => leaf.areFilled(rows));
  }

  /** Rows that can be taken at once. */
  get ready(): number {
    return Math.min(...this.#leaves.map(({ ready }) => ready));
  }

  /** Returns the bytes of `NestedBuilder` that the next `rows` rows take. */
  size(rows: number): number {
    return this.#leaves.reduce((sum, leaf) => sum + leaf.size(rows), this.#mergedSize);
  }

  /** Returns the bytes of their values, one that is there twice counted twice. */
  pointedSize(rows: number): number {
    return sum(this.#leaves, (leaf) => leaf.pointedSize(rows));
  }

  /** Builds the next `rows` rows. Throws `SourceError`. */
  take(builder: NestedBuilder, rows: number): NestedNode {
    const nodes = this.#leaves.map((leaf) => leaf.take(builder, rows));
    try {
      return builder.merge(nodes);
    } catch (error) {
      if (!(error instanceof ListMismatch)) throw error;
      throw columnDamaged(this.source.file.source, this.column.name, error.message, error);
    }
  }

  skip(rows: number): void {
    for (const leaf of this.#leaves) leaf.skip(rows);
  }

  close(): void {
    for (const leaf of this.#leaves) leaf.close();
  }
}

function mergedSize({ children }: SchemaNode): number {
  if (children.length === 0) return 0;
  return children.reduce((sum, child) => sum + mergedSize(child), structSize(children.length));
}
