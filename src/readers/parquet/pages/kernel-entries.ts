import { MIB } from "../../../base/limits.js";
import { PageCursor, pageFaults } from "../../../batch/page-cursor.js";
import { RowWindow } from "../../../batch/row-window.js";
import type { Leaf } from "../columns/flat-leaf.js";
import type { ColumnChunk } from "../footer/footer.js";
import { DecodeError } from "../library/page-decoder.js";
import type { RandomAccess } from "../random-access.js";
import { KernelPages } from "./kernel-pages.js";
import type { PageMemory } from "./page-memory.js";
import type { PagePlace } from "./page-reader.js";
import type { UnpackedPage } from "./unpack-page.js";

/** Bytes of decompressed pages after which no further one is opened for the same batch. */
const PAGES_BYTES = 4 * MIB;

/**
 * Entries of a column chunk that kernels read from its pages, as far as they can: its rows, or what
 * makes its rows where they are lists. Values point into the decompressed pages; nothing is copied.
 */
export class KernelEntries {
  /** Entries that were read and not taken. */
  readonly window: RowWindow;
  readonly #pages: KernelPages;
  readonly #cursor: PageCursor;
  /** Pages with entries in the window or before them, and the entries of the chunk up to their ends. */
  readonly #open: { readonly blocks: readonly UnpackedPage[]; readonly end: number }[] = [];
  /** Bytes of these pages together. */
  #openBytes = 0;
  /** Entries of the chunk that were opened, read, and taken. */
  #opened = 0;
  #read = 0;
  #taken = 0;
  #malformed = false;
  #stopped = false;

  constructor(
    file: RandomAccess,
    memory: PageMemory,
    leaf: Leaf,
    chunk: ColumnChunk,
    private readonly total: number,
  ) {
    this.#pages = new KernelPages(file, memory, leaf, chunk);
    this.window = new RowWindow(memory.kernel);
    this.#cursor = new PageCursor(memory.kernel);
  }

  /** Entries that were not read yet. */
  get left(): number {
    return this.total - this.#read;
  }

  /** Whether the next page is not for kernels. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Where the page is that was not opened yet. */
  get place(): PagePlace {
    return this.#pages.place;
  }

  /** Whether a text that was read is no UTF-8: from then on each one is looked at again. */
  get malformed(): boolean {
    return this.#malformed;
  }

  /** Makes room for more: what was taken is gone. */
  begin(): void {
    const used = this.#open.findIndex(({ end }) => end > this.#taken);
    const count = used < 0 ? this.#open.length : used;
    for (const { blocks } of this.#open.splice(0, count)) {
      this.#pages.release(blocks);
      this.#openBytes -= sizeOf(blocks);
    }
    this.window.compact();
  }

  /**
   * Reads as many as there is room for, but opens no page once `pagesBytes` of them are open, unless
   * there is no entry at all. Throws `DecodeError`, `SourceError`; entries before the break are good.
   */
  topUp(pagesBytes = PAGES_BYTES): void {
    const { window } = this;
    while (!this.#stopped && this.left > 0 && window.room > 0) {
      if (this.#read === this.#opened && !this.#openPage(pagesBytes)) return;
      const count = Math.min(window.room, this.#opened - this.#read);
      const fault = window.add(this.#cursor, count);
      if (fault !== 0) throw new DecodeError(pageFaults[fault]);
      this.#read += count;
      this.#malformed ||= this.#cursor.malformed;
    }
  }

  /** Like `topUp`, and opens as many bytes of pages again, whatever is open. */
  readOn(): void {
    this.topUp(this.#openBytes + PAGES_BYTES);
  }

  #openPage(pagesBytes: number): boolean {
    if (this.window.count > 0 && this.#openBytes >= pagesBytes) return false;
    if (!this.#pages.canGoOn()) {
      this.#stopped = true;
      return false;
    }
    this.#malformed ||= this.#pages.malformed;
    const opened = this.#pages.next(this.#cursor);
    if (opened === null || opened.rows > this.total - this.#opened) {
      throw new DecodeError("its pages do not have the row group's rows");
    }
    this.#opened += opened.rows;
    this.#open.push({ blocks: opened.blocks, end: this.#opened });
    this.#openBytes += sizeOf(opened.blocks);
    return true;
  }

  skip(entries: number): void {
    this.window.take(entries);
    this.#taken += entries;
  }

  close(): void {
    this.#pages.free();
    this.window.free();
    this.#cursor.free();
  }
}

function sizeOf(blocks: readonly UnpackedPage[]): number {
  return blocks.reduce((sum, { size }) => sum + size, 0);
}
