import { MIB } from "../base/limits.js";
import { sum } from "../base/sum.js";
import { PageCursor, pageFaults, valueForms } from "../batch/page-cursor.js";
import { RowWindow } from "../batch/row-window.js";
import type { ColumnChunk } from "./footer.js";
import type { Leaf } from "./leaf.js";
import type { PageCodecs } from "./page-codecs.js";
import type { DataHeader } from "./page-header.js";
import { type Dictionary, layOutPage, readDictionary } from "./page-layout.js";
import type { Block, PageMemory } from "./page-memory.js";
import { type Page, PageReader } from "./page-reader.js";
import { PageError } from "./parquet-errors.js";
import type { RandomAccess } from "./random-access.js";
import { physicalTypes } from "./value-type.js";

/** Bytes of decompressed pages after which no further one is opened for the same batch. */
const PAGES_BYTES = 4 * MIB;
/** Number of parts in which a page is read that is not kept whole. It is decompressed for each of them. */
const PARTS = 8;
/** Bytes of values of such a part, at least. */
const PART_BYTES_MIN = 1 * MIB;
/** Entries of such a part. */
const PART_ENTRIES_MAX = 1024 * 1024;
/** Entries that are read before the bytes of a part are counted again. */
const PART_STEP_ENTRIES = 512;

/** The state shared by the readers of a file's leaves. */
export interface PageSource {
  readonly file: RandomAccess;
  readonly memory: PageMemory;
  readonly codecs: PageCodecs;
}

/** A page whose entries are being read. */
interface OpenPage {
  readonly page: Page & { readonly header: DataHeader };
  readonly blocks: readonly Block[];
  /** True if its memory is freed after each part of its entries. */
  readonly inParts: boolean;
}

/**
 * The entries of one leaf in a row group, read from its pages: its rows, or what makes its rows inside of
 * lists. Values point into the decompressed pages; nothing is copied unless a page is too large.
 */
export class LeafEntries {
  /** Entries that were read and not taken. */
  readonly window: RowWindow;
  readonly #reader: PageReader;
  readonly #cursor: PageCursor;
  #dictionary: Dictionary | undefined;
  readonly #dictionaryBlocks: Block[] = [];
  #page: OpenPage | undefined;
  /** Blocks that entries in the window point into, each until the entry `end` is taken. */
  readonly #blocks: { readonly blocks: readonly Block[]; readonly end: number }[] = [];
  /** Bytes of these blocks together. */
  #blockBytes = 0;
  /** Entries of the chunk that are in opened pages, that were read, and that were taken. */
  #opened = 0;
  #read = 0;
  #taken = 0;
  #malformed = false;

  constructor(
    private readonly source: PageSource,
    private readonly leaf: Leaf,
    private readonly chunk: ColumnChunk,
    private readonly total: number,
  ) {
    const { kernel } = source.memory;
    this.#reader = new PageReader(source.file, chunk, kernel);
    this.window = new RowWindow(kernel);
    this.#cursor = new PageCursor(kernel);
  }

  /** Entries that were not read yet. */
  get left(): number {
    return this.total - this.#read;
  }

  /** True if a text that was read is not UTF-8. */
  get malformed(): boolean {
    return this.#malformed;
  }

  /** Discards what was taken, to make room. */
  begin(): void {
    const used = this.#blocks.findIndex(({ end }) => end > this.#taken);
    const count = used < 0 ? this.#blocks.length : used;
    for (const { blocks } of this.#blocks.splice(0, count)) {
      this.source.memory.free(blocks);
      this.#blockBytes -= sizeOf(blocks);
    }
    this.window.compact();
  }

  /**
   * Reads as many entries as there is room for, within `PAGES_BYTES` of pages. Throws `PageError` and
   * `SourceError`; entries before the damage are good.
   */
  topUp(): void {
    this.#fill(PAGES_BYTES, false);
  }

  /** Reads more entries beyond that limit. */
  readOn(): void {
    this.#fill(this.#blockBytes + PAGES_BYTES, true);
  }

  /** Opens no page or part once there are `bytesMax`, unless there is no entry at all. */
  #fill(bytesMax: number, partsAhead: boolean): void {
    const { window } = this;
    while (this.left > 0 && window.room > 0) {
      const isFull = window.count > 0 && this.#blockBytes >= bytesMax;
      if (this.#read === this.#opened) {
        if (isFull) return;
        this.#openPage();
      }
      if (this.#page?.inParts) {
        // A page is decompressed again only when the part before it is used up.
        if (window.count > 0 && (isFull || !partsAhead)) return;
        this.#readPart(this.#page);
      } else {
        this.#add(Math.min(window.room, this.#opened - this.#read));
      }
    }
  }

  #add(count: number): void {
    const fault = this.window.add(this.#cursor, count);
    if (fault !== 0) throw new PageError(pageFaults[fault]);
    this.#read += count;
    this.#malformed ||= this.#cursor.malformed;
  }

  #openPage(): void {
    const { memory, codecs } = this.source;
    const page = this.#nextPage();
    const { header } = page;
    if (header.values > this.total - this.#opened) throw new PageError(OTHER_ROWS);
    const inParts = !memory.hasRoom(header.uncompressedSize + 8 * header.values);
    const unpacked = codecs.unpack(memory, this.chunk.codec, page);
    this.#reader.trim();
    const { layout, blocks } = this.#layOut(header, unpacked);
    this.#cursor.open(layout);
    this.#page = { page, blocks, inParts };
    this.#opened += header.values;
    if (!inParts) this.#keep(blocks, this.#opened);
  }

  /** Lays out a page in `unpacked`, which is freed if that fails. */
  #layOut(header: DataHeader, unpacked: Block) {
    const { memory } = this.source;
    try {
      const { layout, blocks } = layOutPage(memory, header, this.leaf, unpacked, this.#dictionary);
      return { layout, blocks: [unpacked, ...blocks] };
    } catch (error) {
      memory.free([unpacked]);
      throw error;
    }
  }

  #nextPage(): OpenPage["page"] {
    for (;;) {
      const page = this.#reader.next();
      if (page === null) throw new PageError(OTHER_ROWS);
      const { header } = page;
      if (header.kind === "data" || header.kind === "dataV2") {
        if (this.leaf.physical === physicalTypes.boolean) this.#dictionary ??= this.#booleans();
        return { ...page, header };
      }
      this.#readDictionary(page);
    }
  }

  #readDictionary(page: Page): void {
    const { memory, codecs } = this.source;
    if (this.#dictionaryBlocks.length > 0) throw new PageError("it has more than one dictionary");
    const unpacked = codecs.unpack(memory, this.chunk.codec, page);
    this.#dictionaryBlocks.push(unpacked);
    const { dictionary, blocks } = readDictionary(memory, this.leaf, page.header, unpacked);
    this.#dictionaryBlocks.push(...blocks);
    this.#dictionary = dictionary;
    this.#malformed ||= dictionary.malformed;
  }

  /** The values that the bits of booleans refer to. */
  #booleans(): Dictionary {
    const block = this.source.memory.allocate(2);
    this.#dictionaryBlocks.push(block);
    this.source.memory.kernel.bytes.set([0, 1], block.address);
    return { address: block.address, count: 2, malformed: false };
  }

  #keep(blocks: readonly Block[], end: number): void {
    this.#blocks.push({ blocks, end });
    this.#blockBytes += sizeOf(blocks);
  }

  /** Reads some entries of a page, copies their values, and frees the page until the next part. */
  #readPart(open: OpenPage): void {
    const { memory } = this.source;
    const { page } = open;
    const blocks = open.blocks.length > 0 ? open.blocks : this.#openAgain(page);
    this.#page = { ...open, blocks: [] };
    const part = Math.min(Math.ceil(page.header.values / PARTS), PART_ENTRIES_MAX);
    const entries = Math.min(part, this.#opened - this.#read);
    const bytesMax = Math.max(PART_BYTES_MIN, page.header.uncompressedSize / PARTS);
    let count = 0;
    try {
      while (this.window.room < entries) this.window.grow();
      for (let bytes = 0; count < entries && bytes < bytesMax; ) {
        const step = Math.min(PART_STEP_ENTRIES, entries - count);
        this.#add(step);
        count += step;
        bytes += this.#lastBytes(step);
      }
    } finally {
      // Entries before damage are good, and point into the page until they are copied.
      this.#copyLast(count);
      memory.free(blocks);
    }
  }

  #openAgain(page: OpenPage["page"]): readonly Block[] {
    const { memory, codecs } = this.source;
    const compressed = memory.allocate(page.header.bodySize);
    try {
      const again = this.#reader.again(page, compressed.address);
      const { layout, blocks } = this.#layOut(
        page.header,
        codecs.unpack(memory, this.chunk.codec, again),
      );
      this.#cursor.move(layout);
      return blocks;
    } finally {
      memory.free([compressed]);
    }
  }

  #lastBytes(count: number): number {
    const { physical, width } = this.leaf;
    if (physical === physicalTypes.boolean) return 0;
    return width > 0 ? count * width : this.window.lastBytes(count);
  }

  #copyLast(count: number): void {
    const { form } = this.#cursor;
    // Values of a dictionary are not in the page.
    if (form === valueForms.indexedBytes || form === valueForms.indexedFixed) return;
    const { levelMax, width } = this.leaf;
    const block = this.source.memory.allocate(this.#lastBytes(count));
    this.window.moveLast(count, levelMax, width, block.address);
    this.#keep([block], this.#read);
  }

  /** Bytes of the values of the next entries, one that is there twice counted twice. */
  bytesOf(entries: number): number {
    if (this.leaf.width > 0) return entries * this.leaf.width;
    if (this.leaf.physical === physicalTypes.boolean) return entries;
    return this.window.bytes(entries);
  }

  skip(entries: number): void {
    this.window.take(entries);
    this.#taken += entries;
  }

  close(): void {
    const { memory } = this.source;
    if (this.#page?.inParts) memory.free(this.#page.blocks);
    for (const { blocks } of this.#blocks.splice(0)) memory.free(blocks);
    memory.free(this.#dictionaryBlocks.splice(0));
    this.#page = undefined;
    this.#reader.free();
    this.window.free();
    this.#cursor.free();
  }
}

/** The message for pages and a row group with different numbers of rows. */
export const OTHER_ROWS = "its pages do not have the row group's rows";

function sizeOf(blocks: readonly Block[]): number {
  return sum(blocks, ({ size }) => size);
}
