import type { ArrowSlices, KernelNode } from "../../../batch/arrow-slice.js";
import type { ColumnChunk } from "../footer/footer.js";
import { FlatPieces } from "../library/flat-pieces.js";
import type { PageMemory } from "../pages/page-memory.js";
import type { RandomAccess } from "../random-access.js";
import type { ColumnRows } from "./column-rows.js";
import { flatLeafOf } from "./flat-leaf.js";
import { KernelRows, type Rest } from "./kernel-rows.js";
import type { ColumnPart, OpenFlat } from "./open-column.js";
import { PartRows } from "./part-rows.js";

/** Reads with the kernels what they can read, and the rest of a chunk with the library. */
export const openFlatRows: OpenFlat = (file, memory, part, chunk, rows) =>
  new FlatRows(file, memory, part, chunk, rows);

/** Reads everything with the library: slower, and what the kernels are held against. */
export const openLibraryRows: OpenFlat = (file, _memory, { node, types }, chunk, rows) =>
  new PartRows(new FlatPieces(file, node, types, chunk), rows);

class FlatRows implements ColumnRows {
  #kernelRows: KernelRows | undefined;
  #rows: ColumnRows;

  constructor(
    private readonly file: RandomAccess,
    memory: PageMemory,
    private readonly part: ColumnPart,
    private readonly chunk: ColumnChunk,
    rows: number,
  ) {
    const [type] = part.types;
    const leaf = type === undefined ? undefined : flatLeafOf(part.node, type);
    if (leaf !== undefined && leaf.physical === chunk.type) {
      this.#kernelRows = new KernelRows(file, memory, leaf, chunk, rows);
      this.#rows = this.#kernelRows;
    } else {
      this.#rows = openLibraryRows(file, memory, part, chunk, rows);
    }
  }

  fill(): void {
    this.#rows.fill();
    const rest = this.#kernelRows?.rest;
    if (rest === undefined) return;
    this.#rows.close();
    this.#kernelRows = undefined;
    this.#rows = this.#openRest(rest);
    this.#rows.fill();
  }

  #openRest({ place, rows }: Rest): ColumnRows {
    const { node, types } = this.part;
    return new PartRows(new FlatPieces(this.file, node, types, this.chunk, place), rows);
  }

  get ready(): number {
    return this.#rows.ready;
  }

  size(rows: number): number {
    return this.#rows.size(rows);
  }

  pointedSize(rows: number): number {
    return this.#rows.pointedSize(rows);
  }

  take(slices: ArrowSlices, rows: number): KernelNode {
    return this.#rows.take(slices, rows);
  }

  skip(rows: number): void {
    this.#rows.skip(rows);
  }

  close(): void {
    this.#rows.close();
  }
}
