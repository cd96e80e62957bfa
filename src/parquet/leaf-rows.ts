import { sum } from "../base/sum.js";
import { writeWords } from "../batch/kernel-record.js";
import { depthLayout } from "../batch/layouts.js";
import { type NestedBuilder, nodeSize, type RowViews, roomSize } from "../batch/nested-builder.js";
import { type LeafType, type NestedNode, nodeTypes } from "../batch/nested-node.js";
import type { ColumnChunk } from "./footer.js";
import type { Leaf } from "./leaf.js";
import { LeafEntries, OTHER_ROWS, type PageSource } from "./leaf-entries.js";
import { columnDamaged, PageError } from "./parquet-errors.js";

/** The positions of the elements at one depth of lists; see src/kernels/parquet/parquet-lists.ts. */
interface Elements {
  readonly count: number;
  readonly levels: number;
  readonly offsets: number;
  readonly lengths: number;
}

/** The rows of one leaf in a row group. Without lists around the leaf its entries are the rows. */
export class LeafRows {
  readonly #entries: LeafEntries;
  #ready = 0;
  #rowsLeft: number;
  #failure: unknown;

  constructor(
    private readonly source: PageSource,
    private readonly leaf: Leaf,
    private readonly chunk: ColumnChunk,
    rows: number,
  ) {
    if (chunk.type !== leaf.physical) {
      this.#failure = this.#damaged("its column chunk has another type than the schema");
    }
    const entries = leaf.repeatMax === 0 ? rows : chunk.values;
    this.#entries = new LeafEntries(source, leaf, chunk, entries);
    this.#rowsLeft = rows;
  }

  /** Makes more rows ready, at least `rows` if they are left. Throws `SourceError`. */
  fill(rows = 1): void {
    this.#entries.begin();
    try {
      if (this.#failure === undefined) this.#topUp(rows);
    } catch (error) {
      this.#failure = this.#explain(error);
    }
    // The values before the damage are good.
    if (this.#failure !== undefined && this.#ready < rows) throw this.#failure;
  }

  #explain(error: unknown): unknown {
    if (error instanceof PageError) return this.#damaged(error.message, error);
    if (!(error instanceof RangeError)) return error;
    return this.#damaged(`its pages or rows are too large: ${error.message}`, error);
  }

  #topUp(rows: number): void {
    const entries = this.#entries;
    const { window } = entries;
    try {
      entries.topUp();
    } finally {
      this.#count();
    }
    while (this.#ready < rows && entries.left > 0) {
      if (window.room === 0) window.grow();
      entries.readOn();
      this.#count();
    }
    const isComplete = entries.left === 0;
    if (isComplete && this.#ready < this.#rowsLeft) throw new PageError(OTHER_ROWS);
  }

  /**
   * Counts the rows that can be taken. The last one ends where the next begins, or with the chunk: so a
   * row too many is found before the last right one is taken.
   */
  #count(): void {
    const { window, left } = this.#entries;
    this.#ready = 0;
    if (this.leaf.repeatMax === 0) {
      this.#ready = window.count;
      return;
    }
    if (window.isInsideRow) throw new PageError("its pages begin inside of a row");
    const begun = window.rowStarts();
    if (begun > this.#rowsLeft) throw new PageError(OTHER_ROWS);
    this.#ready = Math.max(0, begun - (left > 0 ? 1 : 0));
  }

  /** Rows that can be taken at once. */
  get ready(): number {
    return this.#ready;
  }

  /** True if each of the next `rows` rows has a text that is not empty. Not for leaves in lists. */
  areFilled(rows: number): boolean {
    return this.#entries.window.areFilled(rows, this.leaf.levelMax);
  }

  /** Returns the bytes of `NestedBuilder` that the next `rows` rows take. */
  size(rows: number): number {
    const { steps, repeatMax } = this.leaf;
    const nodes = sum(steps, ({ name }) => nodeSize(name));
    if (repeatMax === 0) return nodes;
    const entries = this.#entriesOf(rows);
    const depth = roomSize(entries) + 2 * roomSize((entries + 1) * 4);
    return nodes + roomSize((repeatMax + 1) * depthLayout.bytes) + (repeatMax + 1) * depth;
  }

  /** Returns the bytes of the values of the next `rows` rows, which are not copied. */
  pointedSize(rows: number): number {
    return this.#entries.bytesOf(this.#entriesOf(rows));
  }

  #entriesOf(rows: number): number {
    return this.leaf.repeatMax === 0 ? rows : this.#entries.window.entriesOf(rows);
  }

  /** Builds the next `rows` rows: the column with this leaf alone. Throws `SourceError`. */
  take(builder: NestedBuilder, rows: number): NestedNode {
    const entries = this.#entriesOf(rows);
    const dataSize = this.#entries.bytesOf(entries);
    if (this.leaf.repeatMax === 0) {
      const views = this.#entries.window.views(dataSize);
      return this.#build(builder, views, [{ count: rows, offsets: 0, ...views }]);
    }
    const depths = this.#unfold(builder, entries);
    const { offsets, lengths, levels } = depths.at(-1)!;
    return this.#build(builder, { starts: offsets, lengths, levels, dataSize }, depths);
  }

  #build(builder: NestedBuilder, views: RowViews, depths: readonly Elements[]): NestedNode {
    const { steps } = this.leaf;
    const last = steps.at(-1)!;
    const { count } = depths.at(-1)!;
    let node = builder.leaf(last.name, this.#valueType(), count, views, last.level);
    for (let index = steps.length - 2; index >= 0; index--) {
      const { kind, name, level, depth } = steps[index]!;
      const elements = depths[depth]!;
      if (kind === "struct") {
        node = builder.optional(name, node, elements.levels, level);
      } else {
        const type = kind === "map" ? nodeTypes.map : nodeTypes.list;
        node = builder.repeated(type, name, node, elements.count, elements, level);
      }
    }
    return node;
  }

  /** The type of a text tells whether all texts are known to be UTF-8. */
  #valueType(): LeafType {
    const { value } = this.leaf;
    const isText = value.type === nodeTypes.text;
    return isText ? { ...value, option: this.#entries.malformed ? 0 : 1 } : value;
  }

  /** Returns the elements of the next entries at each depth, the rows first. Throws `SourceError`. */
  #unfold(builder: NestedBuilder, entries: number): readonly Elements[] {
    const { kernel } = this.source.memory;
    const last = this.leaf.repeatMax;
    const table = builder.room((last + 1) * depthLayout.bytes);
    const depths = [0, ...this.leaf.elementLevels].map((level, depth) => ({
      level,
      levels: builder.room(entries),
      offsets: builder.room((entries + 1) * 4),
      lengths: depth === last ? builder.room((entries + 1) * 4) : 0,
    }));
    for (const [depth, arrays] of depths.entries()) {
      const address = table + depth * depthLayout.bytes;
      writeWords(kernel, depthLayout, address, { ...arrays, count: 0 });
    }
    if (!this.#entries.window.unfold(table, last, entries)) {
      throw this.#damaged("a list continues that has no element");
    }
    return depths.map(({ levels, offsets, lengths }, depth) => {
      const word = (table + depth * depthLayout.bytes) / 4 + depthLayout.words.count;
      return { levels, offsets, lengths, count: kernel.u32[word]! };
    });
  }

  skip(rows: number): void {
    this.#entries.skip(this.#entriesOf(rows));
    this.#ready -= rows;
    this.#rowsLeft -= rows;
  }

  close(): void {
    this.#entries.close();
  }

  #damaged(what: string, cause?: unknown) {
    return columnDamaged(this.source.file.source, this.chunk.path.join("."), what, cause);
  }
}
