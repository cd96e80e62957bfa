import { crc32 } from "node:zlib";
import type { SourceError } from "../../../base/errors.js";
import { MIB } from "../../../base/limits.js";
import type { ColumnChunk } from "../footer/footer.js";
import { ThriftError, ThriftReader } from "../footer/thrift-reader.js";
import { columnDamaged } from "../parquet-errors.js";
import type { RandomAccess } from "../random-access.js";
import { HeapPageBuffer, type PageBuffer } from "./page-buffer.js";
import { type PageHeader, readPageHeader } from "./page-header.js";

/** A page as it stands in the file, header and body. */
export interface Page {
  readonly dictionary: boolean;
  /** Values and nulls; in a dictionary: its entries. */
  readonly values: number;
  readonly uncompressedSize: number;
  readonly bytes: Uint8Array;
}

/** A page with what its header says. */
export interface ReadPage extends Page {
  readonly header: PageHeader;
  /** Bytes before the body. */
  readonly headerSize: number;
}

/** Where a page begins in the file, and the values and nulls from it on to the end of its chunk. */
export interface PagePlace {
  readonly position: number;
  readonly valuesLeft: number;
}

type HeaderBytes = Pick<ReadPage, "header" | "headerSize">;

/** Bytes that are read at once. */
const READ_BYTES = 1 * MIB;
/** Bytes of a page's header; statistics of long texts can stand in it. */
const HEADER_BYTES_MAX = 16 * MIB;
/** Bytes of a page, compressed or not; beyond it the header is held to be damaged. */
const PAGE_BYTES_MAX = 1024 * MIB;

/** Pages of one column chunk in order. They hold as long as views of the buffer do. */
export class PageReader {
  /** Place in the file of the buffer's first byte. */
  #position: number;
  readonly #end: number;
  #valuesLeft: number;
  /** Of the page at `#position`, where it was read already. */
  #header: HeaderBytes | undefined;

  constructor(
    private readonly file: RandomAccess,
    private readonly chunk: ColumnChunk,
    private readonly buffer: PageBuffer = new HeapPageBuffer(),
  ) {
    this.#position = chunk.start;
    this.#end = Math.min(file.size, chunk.start + chunk.compressedSize);
    this.#valuesLeft = chunk.values;
  }

  /** Where `next` goes on. */
  get place(): PagePlace {
    return { position: this.#position, valuesLeft: this.#valuesLeft };
  }

  /**
   * Goes on at the page at `place`, and gives the dictionary that it may refer to. Throws `SourceError`.
   */
  resume({ position, valuesLeft }: PagePlace): ReadPage | undefined {
    const dictionary = this.peek()?.kind === "dictionary" ? this.next() : null;
    this.#header = undefined;
    this.buffer.drop(this.buffer.bytes.length);
    this.#position = position;
    this.#valuesLeft = valuesLeft;
    return dictionary ?? undefined;
  }

  /** The header of the page that `next` gives, or null when there is none. Throws `SourceError`. */
  peek(): PageHeader | null {
    while (this.#valuesLeft > 0) {
      const { header } = this.#header ?? this.#readHeader();
      // An empty dictionary is one that pages of nothing but nulls may refer to.
      if (header.kind === "dictionary") return header;
      if (header.kind !== "index" && header.values > 0) return header;
      this.#readPage();
    }
    return null;
  }

  /** The next dictionary or page with values, or null at the chunk's end. Throws `SourceError`. */
  next(): ReadPage | null {
    if (this.peek() === null) return null;
    const page = this.#readPage();
    const { checksum } = page.header;
    if (checksum !== undefined && crc32(page.bytes.subarray(page.headerSize)) !== checksum >>> 0) {
      throw this.#damaged("the checksum of a page does not match");
    }
    if (!page.dictionary) this.#valuesLeft -= page.values;
    if (this.#valuesLeft < 0)
      throw this.#damaged("its pages have more values than the footer says");
    return page;
  }

  #readPage(): ReadPage {
    const { header, headerSize } = this.#header ?? this.#readHeader();
    this.#header = undefined;
    const { values, uncompressedSize } = header;
    const size = headerSize + header.bodySize;
    this.#fill(size);
    if (this.buffer.bytes.length < size) throw this.#damaged("a page is cut off");
    const bytes = this.buffer.bytes.subarray(0, size);
    this.buffer.drop(size);
    this.#position += size;
    const dictionary = header.kind === "dictionary";
    return { dictionary, values, uncompressedSize, bytes, header, headerSize };
  }

  #readHeader(): HeaderBytes {
    for (let wanted = 256; ; wanted *= 4) {
      this.#fill(wanted);
      const { bytes } = this.buffer;
      const reader = new ThriftReader(bytes);
      try {
        const header = this.#checked(readPageHeader(reader));
        this.#header = { header, headerSize: reader.position };
        return this.#header;
      } catch (error) {
        if (!(error instanceof ThriftError)) throw error;
        const more = error.cutOff && bytes.length >= wanted && wanted < HEADER_BYTES_MAX;
        if (!more) throw this.#damaged(`a page's header cannot be read: ${error.message}`);
      }
    }
  }

  #checked(header: PageHeader): PageHeader {
    if (header.bodySize > PAGE_BYTES_MAX || header.uncompressedSize > PAGE_BYTES_MAX) {
      throw this.#damaged(`a page would have ${header.uncompressedSize} bytes`);
    }
    return header;
  }

  // Makes `size` bytes available, fewer only at the chunk's end.
  #fill(size: number): void {
    const { length } = this.buffer.bytes;
    if (length >= size) return;
    const left = this.#end - this.#position - length;
    const added = Math.min(left, Math.max(size - length, READ_BYTES));
    if (added <= 0) return;
    this.file.read(this.buffer.grow(added), this.#position + length, "the Parquet file");
  }

  #damaged(reason: string): SourceError {
    const { path } = this.chunk;
    return columnDamaged(this.file.source, path.join("."), `${reason} (byte ${this.#position})`);
  }
}
