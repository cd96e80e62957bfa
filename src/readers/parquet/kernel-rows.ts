import { MIB } from "../../base/limits.js";
import { arrowTypes } from "../../batch/arrow-node.js";
import { type ArrowSlices, type KernelNode, viewSize } from "../../batch/arrow-slice.js";
import { PageCursor, pageFaults } from "../../batch/page-cursor.js";
import { RowWindow } from "../../batch/row-window.js";
import type { ColumnRows } from "./column-rows.js";
import type { FlatLeaf } from "./flat-leaf.js";
import type { ColumnChunk } from "./footer.js";
import { KernelPages } from "./kernel-pages.js";
import { DecodeError } from "./page-decoder.js";
import type { PageMemory } from "./page-memory.js";
import type { PagePlace } from "./page-reader.js";
import { columnDamaged } from "./parquet-errors.js";
import type { RandomAccess } from "./random-access.js";
import type { UnpackedPage } from "./unpack-page.js";

/** Bytes of decompressed pages after which no further one is opened for the same batch. */
const PAGES_BYTES = 4 * MIB;

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
  readonly #pages: KernelPages;
  readonly #window: RowWindow;
  readonly #cursor: PageCursor;
  /** Pages with rows in the window or before them, and the rows of the group up to their ends. */
  readonly #open: { readonly blocks: readonly UnpackedPage[]; readonly rowsEnd: number }[] = [];
  /** Rows of the group that were opened, read, and taken. */
  #opened = 0;
  #read = 0;
  #taken = 0;
  /** Whether a text that was read is no UTF-8: from then on each one is looked at again. */
  #malformed = false;
  #failure: unknown;
  #stopped = false;

  constructor(
    private readonly file: RandomAccess,
    memory: PageMemory,
    private readonly leaf: FlatLeaf,
    private readonly chunk: ColumnChunk,
    private readonly rows: number,
  ) {
    this.#pages = new KernelPages(file, memory, leaf, chunk);
    this.#window = new RowWindow(memory.kernel);
    this.#cursor = new PageCursor(memory.kernel);
  }

  /** Once all rows before it are taken: the part of the chunk that is not for kernels. */
  get rest(): Rest | undefined {
    if (!this.#stopped || this.ready > 0) return undefined;
    return { place: this.#pages.place, rows: this.rows - this.#read };
  }

  fill(): void {
    this.#releasePages();
    this.#window.compact();
    try {
      if (this.#failure === undefined) this.#topUp();
    } catch (error) {
      this.#failure = error instanceof DecodeError ? this.#damaged(error.message, error) : error;
    }
    // What was read before the break is good.
    if (this.#failure !== undefined && this.ready === 0) throw this.#failure;
  }

  #topUp(): void {
    while (!this.#stopped && this.#read < this.rows && this.#window.room > 0) {
      if (this.#read === this.#opened && !this.#openPage()) return;
      const rows = Math.min(this.#window.room, this.#opened - this.#read);
      const fault = this.#window.add(this.#cursor, rows);
      if (fault !== 0) throw new DecodeError(pageFaults[fault]);
      this.#read += rows;
      this.#malformed ||= this.#cursor.malformed;
    }
  }

  #openPage(): boolean {
    if (this.ready > 0 && this.#openBytes() >= PAGES_BYTES) return false;
    if (!this.#pages.canGoOn()) {
      this.#stopped = true;
      return false;
    }
    this.#malformed ||= this.#pages.malformed;
    const opened = this.#pages.next(this.#cursor);
    if (opened === null || opened.rows > this.rows - this.#opened) {
      throw new DecodeError("its pages do not have the row group's rows");
    }
    this.#opened += opened.rows;
    this.#open.push({ blocks: opened.blocks, rowsEnd: this.#opened });
    return true;
  }

  #openBytes(): number {
    return this.#open.flatMap(({ blocks }) => blocks).reduce((sum, { size }) => sum + size, 0);
  }

  #releasePages(): void {
    const used = this.#open.findIndex(({ rowsEnd }) => rowsEnd > this.#taken);
    const count = used < 0 ? this.#open.length : used;
    for (const { blocks } of this.#open.splice(0, count)) this.#pages.release(blocks);
  }

  get ready(): number {
    return this.#window.count;
  }

  size(rows: number): number {
    const { path } = this.leaf;
    return path.reduce((sum, { name }) => sum + viewSize(name), this.#dataSize(rows));
  }

  #dataSize(rows: number): number {
    const { width, value } = this.leaf;
    if (width > 0) return rows * width;
    return value.type === arrowTypes.boolean ? rows : this.#window.bytes(rows);
  }

  take(slices: ArrowSlices, rows: number): KernelNode {
    const views = this.#window.views(this.#dataSize(rows));
    const { path, value } = this.leaf;
    const [last, ...outer] = path.toReversed();
    if (last === undefined) throw new Error("a leaf without a name");
    const known =
      value.type === arrowTypes.text ? { ...value, option: this.#malformed ? 0 : 1 } : value;
    return outer.reduce(
      (node, { name, level }) => slices.levelled(name, node, views.levels, level),
      slices.view(last.name, known, rows, views, last.level),
    );
  }

  skip(rows: number): void {
    this.#window.take(rows);
    this.#taken += rows;
  }

  close(): void {
    this.#pages.free();
    this.#window.free();
    this.#cursor.free();
  }

  #damaged(what: string, cause: unknown) {
    return columnDamaged(this.file.source, this.chunk.path.join("."), what, cause);
  }
}
