import type { PageCursor } from "../../../batch/page-cursor.js";
import type { Leaf } from "../columns/flat-leaf.js";
import type { ColumnChunk } from "../footer/footer.js";
import { physicalTypes } from "../footer/value-type.js";
import type { RandomAccess } from "../random-access.js";
import { KernelPageBuffer } from "./page-buffer.js";
import type { PageHeader } from "./page-header.js";
import { type Entries, entryListSize, isReadable, layOutPage, readEntries } from "./page-layout.js";
import type { PageMemory } from "./page-memory.js";
import { type PagePlace, PageReader } from "./page-reader.js";
import { canUnpack, type UnpackedPage, unpackPage } from "./unpack-page.js";

/** A page whose rows are being read. */
export interface OpenedPage {
  readonly blocks: readonly UnpackedPage[];
  readonly rows: number;
}

/** Memory of the pages of one column chunk that kernels read, as far as they are in use. */
export class KernelPages {
  readonly #reader: PageReader;
  readonly #buffer: KernelPageBuffer;
  readonly #blocks: UnpackedPage[] = [];
  #entries: Entries | undefined;

  constructor(
    file: RandomAccess,
    private readonly memory: PageMemory,
    private readonly leaf: Leaf,
    private readonly chunk: ColumnChunk,
  ) {
    this.#buffer = new KernelPageBuffer(memory.kernel);
    this.#reader = new PageReader(file, chunk, this.#buffer);
  }

  /** Where the page is that `next` gives. */
  get place(): PagePlace {
    return this.#reader.place;
  }

  /** Whether a text of the dictionary is no UTF-8. */
  get malformed(): boolean {
    return this.#entries?.malformed === true;
  }

  /**
   * Whether the next page can be read here; the chunk's end counts as well. A dictionary before it is
   * taken in. Throws `SourceError`, and `DecodeError` where the dictionary is damaged.
   */
  canGoOn(): boolean {
    let header = this.#reader.peek();
    if (header?.kind === "dictionary" && this.#entries === undefined && this.#fits(header)) {
      this.#readDictionary();
      header = this.#reader.peek();
    }
    return header === null || (header.kind !== "dictionary" && this.#fits(header));
  }

  #fits(header: PageHeader): boolean {
    const size = header.uncompressedSize + header.bodySize + 8 * header.values;
    return (
      canUnpack(this.chunk.codec, this.memory) &&
      isReadable(header, this.leaf) &&
      this.memory.hasRoom(size)
    );
  }

  #readDictionary(): void {
    const page = this.#reader.next();
    if (page === null) return;
    const unpacked = this.#keep(unpackPage(this.memory, this.chunk.codec, page));
    const size = entryListSize(this.leaf, unpacked, page.values);
    const list = this.#keep({ address: this.memory.allocate(size), size });
    const { kernel } = this.memory;
    this.#entries = readEntries(kernel, this.leaf, unpacked, page.values, list.address);
  }

  /** Opens the next data page, or returns null at the end. Throws `SourceError`, `DecodeError`. */
  next(cursor: PageCursor): OpenedPage | null {
    const read = this.#reader.next();
    if (read === null) return null;
    const page = this.#keep(unpackPage(this.memory, this.chunk.codec, read));
    if (this.leaf.physical === physicalTypes.boolean) this.#entries ??= this.#booleans();
    const { layout, block } = layOutPage(this.memory, read.header, this.leaf, page, this.#entries);
    cursor.open(layout);
    return { blocks: block === undefined ? [page] : [page, this.#keep(block)], rows: read.values };
  }

  #booleans(): Entries {
    const { address } = this.#keep({ address: this.memory.allocate(2), size: 2 });
    this.memory.kernel.bytes.set([0, 1], address);
    return { address, count: 2, malformed: false };
  }

  #keep(page: UnpackedPage): UnpackedPage {
    this.#blocks.push(page);
    return page;
  }

  /** Ends the use of a page's memory. */
  release(blocks: readonly UnpackedPage[]): void {
    for (const block of blocks) {
      this.#blocks.splice(this.#blocks.indexOf(block), 1);
      this.memory.free(block.address, block.size);
    }
  }

  free(): void {
    for (const { address, size } of this.#blocks.splice(0)) this.memory.free(address, size);
    this.#entries = undefined;
    this.#buffer.free();
  }
}
