import { arrowTypes, type ValueType } from "../../../batch/arrow-node.js";
import { type ArrowSlices, type KernelNode, viewSize } from "../../../batch/arrow-slice.js";
import type { ColumnChunk } from "../footer/footer.js";
import { DecodeError } from "../library/page-decoder.js";
import { KernelEntries } from "../pages/kernel-entries.js";
import type { PageMemory } from "../pages/page-memory.js";
import type { PagePlace } from "../pages/page-reader.js";
import { columnDamaged } from "../parquet-errors.js";
import type { RandomAccess } from "../random-access.js";
import type { ColumnRows } from "./column-rows.js";
import type { FlatLeaf, Leaf } from "./flat-leaf.js";

/** What is left of a chunk for somebody else to read. */
export interface Rest {
  readonly place: PagePlace;
  readonly rows: number;
}

/**
 * Rows of a flat column that kernels read from its pages, as far as they can: cells point into the
 * decompressed pages, and nothing is copied.
 */
export class KernelRows implements ColumnRows {
  readonly #entries: KernelEntries;
  #failure: unknown;

  constructor(
    private readonly file: RandomAccess,
    memory: PageMemory,
    private readonly leaf: FlatLeaf,
    private readonly chunk: ColumnChunk,
    rows: number,
  ) {
    this.#entries = new KernelEntries(file, memory, leaf, chunk, rows);
  }

  /** Once all rows before it are taken: the part of the chunk that is not for kernels. */
  get rest(): Rest | undefined {
    const { stopped, place, left } = this.#entries;
    return stopped && this.ready === 0 ? { place, rows: left } : undefined;
  }

  fill(): void {
    this.#entries.begin();
    try {
      if (this.#failure === undefined) this.#entries.topUp();
    } catch (error) {
      this.#failure = error instanceof DecodeError ? this.#damaged(error.message, error) : error;
    }
    // What was read before the break is good.
    if (this.#failure !== undefined && this.ready === 0) throw this.#failure;
  }

  get ready(): number {
    return this.#entries.window.count;
  }

  size(): number {
    const { path } = this.leaf;
    return path.reduce((sum, { name }) => sum + viewSize(name), 0);
  }

  pointedSize(rows: number): number {
    return dataSizeOf(this.leaf, this.#entries, rows);
  }

  take(slices: ArrowSlices, rows: number): KernelNode {
    const views = this.#entries.window.views(this.pointedSize(rows));
    const { path } = this.leaf;
    const [last, ...outer] = path.toReversed();
    if (last === undefined) throw new Error("a leaf without a name");
    const type = viewedType(this.leaf, this.#entries);
    return outer.reduce(
      (node, { name, level }) => slices.levelled(name, node, views.levels, level),
      slices.view(last.name, type, rows, views, last.level),
    );
  }

  skip(rows: number): void {
    this.#entries.skip(rows);
  }

  close(): void {
    this.#entries.close();
  }

  #damaged(what: string, cause: unknown) {
    return columnDamaged(this.file.source, this.chunk.path.join("."), what, cause);
  }
}

/** Bytes of the values of the next entries. */
export function dataSizeOf({ width, value }: Leaf, { window }: KernelEntries, entries: number) {
  if (width > 0) return entries * width;
  return value.type === arrowTypes.boolean ? entries : window.bytes(entries);
}

/** Of texts the type tells whether all of them are known to be UTF-8. */
export function viewedType({ value }: Leaf, { malformed }: KernelEntries): ValueType {
  return value.type === arrowTypes.text ? { ...value, option: malformed ? 0 : 1 } : value;
}
