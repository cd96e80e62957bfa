import {
  type ArrowSlices,
  type KernelNode,
  ListMismatch,
  structSize,
} from "../../../batch/arrow-slice.js";
import type { ColumnChunk } from "../footer/footer.js";
import type { SchemaNode } from "../footer/schema-tree.js";
import { NestedPieces } from "../library/nested-pieces.js";
import type { PageMemory } from "../pages/page-memory.js";
import { columnDamaged } from "../parquet-errors.js";
import type { RandomAccess } from "../random-access.js";
import type { ColumnRows } from "./column-rows.js";
import { type NestedLeaf, nestedLeavesOf } from "./nested-leaf.js";
import { NestedLeafRows } from "./nested-rows.js";
import type { ColumnPart, OpenNested } from "./open-column.js";
import { PartRows } from "./part-rows.js";

/** Reads with the kernels what they can read, and the rest of a column with the library. */
export const openNestedRows: OpenNested = (file, memory, part, chunks, rows) => {
  const leaves = nestedLeavesOf(part.node, part.types);
  const known =
    leaves?.length === chunks.length &&
    leaves.every(({ physical }, index) => physical === chunks[index]?.type);
  return known
    ? new NestedColumn(file, memory, part, leaves, chunks, rows)
    : openNestedLibraryRows(file, memory, part, chunks, rows);
};

/** Reads everything with the library: slower, and what the kernels are held against. */
export const openNestedLibraryRows: OpenNested = (file, _memory, { node, types }, chunks, rows) =>
  new PartRows(new NestedPieces(file, node, types, chunks, rows), rows);

/** A list, a map, or structs around one: its leaves are read each at its own pace. */
export class NestedColumn implements ColumnRows {
  #leaves: readonly NestedLeafRows[];
  /** What reads on where kernels cannot. */
  #rest: ColumnRows | undefined;
  #taken = 0;

  constructor(
    private readonly file: RandomAccess,
    memory: PageMemory,
    private readonly part: ColumnPart,
    leaves: readonly NestedLeaf[],
    private readonly chunks: readonly ColumnChunk[],
    private readonly rows: number,
  ) {
    this.#leaves = leaves.map(
      (leaf, index) => new NestedLeafRows(file, memory, leaf, chunks[index]!, rows),
    );
  }

  fill(): void {
    for (const leaf of this.#leaves) leaf.fill();
    if (this.#leaves.some(({ stopped }) => stopped)) this.leave();
    this.#rest?.fill();
  }

  /** Leaves the rows that were not taken to the library. */
  protected leave(): void {
    this.close();
    const { node, types } = this.part;
    const pieces = new NestedPieces(this.file, node, types, this.chunks, this.rows, this.#taken);
    this.#leaves = [];
    this.#rest = new PartRows(pieces, this.rows - this.#taken);
  }

  get ready(): number {
    return this.#rest?.ready ?? Math.min(...this.#leaves.map(({ ready }) => ready));
  }

  size(rows: number): number {
    if (this.#rest !== undefined) return this.#rest.size(rows);
    return this.#leaves.reduce((sum, leaf) => sum + leaf.size(rows), mergedSize(this.part.node));
  }

  pointedSize(rows: number): number {
    return this.#leaves.reduce((sum, leaf) => sum + leaf.pointedSize(rows), 0);
  }

  take(slices: ArrowSlices, rows: number): KernelNode {
    if (this.#rest !== undefined) return this.#rest.take(slices, rows);
    const nodes = this.#leaves.map((leaf) => leaf.take(slices, rows));
    try {
      return slices.merge(nodes);
    } catch (error) {
      if (!(error instanceof ListMismatch)) throw error;
      throw columnDamaged(this.file.source, this.part.node.element.name, error.message, error);
    }
  }

  skip(rows: number): void {
    this.#taken += rows;
    this.#rest?.skip(rows);
    for (const leaf of this.#leaves) leaf.skip(rows);
  }

  close(): void {
    this.#rest?.close();
    for (const leaf of this.#leaves) leaf.close();
  }
}

/** Bytes that putting the leaves together takes at the most. */
function mergedSize({ children }: SchemaNode): number {
  if (children.length === 0) return 0;
  return children.reduce((sum, child) => sum + mergedSize(child), structSize(children.length));
}
