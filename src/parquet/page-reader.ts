import { crc32 } from "node:zlib";
import type { SourceError } from "../base/errors.js";
import { MIB } from "../base/limits.js";
import { type Kernel, roomySize } from "../batch/kernel.js";
import type { ColumnChunk } from "./footer.js";
import { type PageHeader, readPageHeader } from "./page-header.js";
import { columnDamaged } from "./parquet-errors.js";
import type { RandomAccess } from "./random-access.js";
import { ThriftError, ThriftReader } from "./thrift.js";

/** A page as it is in the file. */
export interface Page {
  readonly header: PageHeader;
  /** Byte offset of the body in the file. */
  readonly position: number;
  /** The body in kernel memory: its address is `byteOffset`. Valid until the next read. */
  readonly body: Uint8Array;
}

type HeaderBytes = { readonly header: PageHeader; readonly size: number };

/** Bytes that are read at once. */
const READ_BYTES = MIB / 4;
/** Bytes of a page's header, which can have statistics of long texts. */
const HEADER_BYTES_MAX = 16 * MIB;
/** Bytes of a page, compressed or not. A header with more is treated as damaged. */
const PAGE_BYTES_MAX = 1024 * MIB;

/** The pages of one column chunk in order. */
export class PageReader {
  readonly #buffer: PageBuffer;
  /** Position in the file of the buffer's first byte. */
  #position: number;
  readonly #end: number;
  #valuesLeft: number;
  /** The header of the page at `#position`, if it was read already. */
  #header: HeaderBytes | undefined;

  constructor(
    private readonly file: RandomAccess,
    private readonly chunk: ColumnChunk,
    private readonly kernel: Kernel,
  ) {
    this.#buffer = new PageBuffer(kernel);
    this.#position = chunk.start;
    this.#end = Math.min(file.size, chunk.start + chunk.compressedSize);
    this.#valuesLeft = chunk.values;
  }

  /** Returns the header of the page that `next` gives, or null at the end. Throws `SourceError`. */
  peek(): PageHeader | null {
    while (this.#valuesLeft > 0) {
      const { header } = this.#header ?? this.#readHeader();
      // Pages of nothing but nulls may refer to an empty dictionary.
      if (header.kind === "dictionary") return header;
      if (header.kind !== "index" && header.values > 0) return header;
      this.#readPage();
    }
    return null;
  }

  /** Returns the next dictionary or page with values, or null at the end. Throws `SourceError`. */
  next(): Page | null {
    if (this.peek() === null) return null;
    const page = this.#readPage();
    const { checksum, kind, values } = page.header;
    if (checksum !== undefined && crc32(page.body) !== checksum >>> 0) {
      throw this.#damaged("the checksum of a page does not match");
    }
    if (kind !== "dictionary") this.#valuesLeft -= values;
    if (this.#valuesLeft < 0)
      throw this.#damaged("its pages have more values than the footer says");
    return page;
  }

  /** Reads the body of a page again, to `address`. Throws `SourceError`. */
  again({ header, position }: Page, address: number): Page {
    const body = this.kernel.bytes.subarray(address, address + header.bodySize);
    this.file.read(body, position);
    return { header, position, body };
  }

  #readPage(): Page {
    const { header, size: headerSize } = this.#header ?? this.#readHeader();
    this.#header = undefined;
    const size = headerSize + header.bodySize;
    this.#fill(size);
    const bytes = this.#buffer.bytes.subarray(0, size);
    if (bytes.length < size) throw this.#damaged("a page is cut off");
    const position = this.#position + headerSize;
    this.#buffer.drop(size);
    this.#position += size;
    return { header, position, body: bytes.subarray(headerSize) };
  }

  #readHeader(): HeaderBytes {
    for (let wanted = 256; ; wanted *= 4) {
      this.#fill(wanted);
      const { bytes } = this.#buffer;
      const reader = new ThriftReader(bytes);
      try {
        const header = this.#checked(readPageHeader(reader));
        this.#header = { header, size: reader.position };
        return this.#header;
      } catch (error) {
        if (!(error instanceof ThriftError)) throw error;
        const more = error.cutOff && bytes.length >= wanted && wanted < HEADER_BYTES_MAX;
        if (!more) throw this.#damaged(`a page's header cannot be read: ${error.message}`);
      }
    }
  }

  #checked(header: PageHeader): PageHeader {
    const size = Math.max(header.bodySize, header.uncompressedSize);
    if (size > PAGE_BYTES_MAX) throw this.#damaged(`the size of a page is ${size} bytes`);
    return header;
  }

  /** Makes `size` bytes available, fewer only at the chunk's end. */
  #fill(size: number): void {
    const { length } = this.#buffer.bytes;
    if (length >= size) return;
    const left = this.#end - this.#position - length;
    const added = Math.min(left, Math.max(size - length, READ_BYTES));
    if (added <= 0) return;
    this.file.read(this.#buffer.grow(added), this.#position + length);
  }

  #damaged(reason: string): SourceError {
    const { path } = this.chunk;
    return columnDamaged(this.file.source, path.join("."), `${reason} (byte ${this.#position})`);
  }

  /** Frees the memory of a page that was larger than what is read at once. */
  trim(): void {
    if (this.#buffer.capacity > 2 * READ_BYTES && this.#buffer.bytes.length === 0) {
      this.#buffer.free();
    }
  }

  free(): void {
    this.#buffer.free();
  }
}

/** Bytes of the file that were read and not used yet, in one block of kernel memory. */
class PageBuffer {
  #address = 0;
  #start = 0;
  #length = 0;
  capacity = 0;

  constructor(private readonly kernel: Kernel) {}

  /** Valid until the next `grow`. */
  get bytes(): Uint8Array {
    return this.kernel.bytes.subarray(this.#start, this.#start + this.#length);
  }

  /** Returns room for `size` more bytes at the end, to be filled at once. */
  grow(size: number): Uint8Array {
    const needed = this.#length + size;
    if (this.#start + needed > this.#address + this.capacity) this.#move(needed);
    const end = this.#start + this.#length;
    this.#length = needed;
    return this.kernel.bytes.subarray(end, end + size);
  }

  #move(needed: number): void {
    const { kernel } = this;
    const old = this.#address;
    if (needed > this.capacity) {
      const capacity = roomySize(needed);
      this.#address = kernel.allocate(capacity);
      this.capacity = capacity;
    }
    kernel.bytes.copyWithin(this.#address, this.#start, this.#start + this.#length);
    this.#start = this.#address;
    if (old !== this.#address && old !== 0) kernel.free(old);
  }

  /** Removes the first `size` bytes. */
  drop(size: number): void {
    this.#start += size;
    this.#length -= size;
  }

  free(): void {
    if (this.#address !== 0) this.kernel.free(this.#address);
    this.#address = 0;
    this.capacity = 0;
    this.#start = 0;
    this.#length = 0;
  }
}
