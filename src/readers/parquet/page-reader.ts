import { crc32 } from "node:zlib";
import type { SourceError } from "../../base/errors.js";
import { MIB } from "../../base/limits.js";
import type { ColumnChunk } from "./footer.js";
import { columnDamaged } from "./parquet-errors.js";
import type { RandomAccess } from "./random-access.js";
import { count, integer, optionalInteger, optionalStruct } from "./thrift-fields.js";
import { ThriftError, ThriftReader } from "./thrift-reader.js";

/** A page as it stands in the file, header and body. */
export interface Page {
  readonly dictionary: boolean;
  /** Values and nulls; in a dictionary: its entries. */
  readonly values: number;
  readonly uncompressedSize: number;
  readonly bytes: Uint8Array;
}

const pageTypes = { data: 0, index: 1, dictionary: 2, dataV2: 3 } as const;

/** Bytes that are read at once. */
const READ_BYTES = 1 * MIB;
/** Bytes of a page's header; statistics of long texts can stand in it. */
const HEADER_BYTES_MAX = 16 * MIB;
/** Bytes of a page, compressed or not; beyond it the header is held to be damaged. */
const PAGE_BYTES_MAX = 1024 * MIB;

/** Pages of one column chunk in order. */
export class PageReader {
  #buffer = new Uint8Array(0);
  /** Place in the file of the buffer's first byte. */
  #position: number;
  readonly #end: number;
  #valuesLeft: number;

  constructor(
    private readonly file: RandomAccess,
    private readonly chunk: ColumnChunk,
  ) {
    this.#position = chunk.start;
    this.#end = Math.min(file.size, chunk.start + chunk.compressedSize);
    this.#valuesLeft = chunk.values;
  }

  /** The next page with values, or null when the chunk has no more. Throws `SourceError`. */
  next(): Page | null {
    while (this.#valuesLeft > 0) {
      const { type, values, headerSize, bodySize, uncompressedSize, checksum } = this.#readHeader();
      const size = headerSize + bodySize;
      this.#fill(size);
      if (this.#buffer.length < size) throw this.#damaged("a page is cut off");
      const bytes = this.#buffer.subarray(0, size);
      this.#buffer = this.#buffer.subarray(size);
      this.#position += size;
      if (type === pageTypes.index || values === 0) continue;
      if (checksum !== undefined && crc32(bytes.subarray(headerSize)) !== checksum >>> 0) {
        throw this.#damaged("the checksum of a page does not match");
      }
      const dictionary = type === pageTypes.dictionary;
      if (!dictionary) this.#valuesLeft -= values;
      if (this.#valuesLeft < 0)
        throw this.#damaged("its pages have more values than the footer says");
      return { dictionary, values, uncompressedSize, bytes };
    }
    return null;
  }

  #readHeader() {
    for (let wanted = 256; ; wanted *= 4) {
      this.#fill(wanted);
      const reader = new ThriftReader(this.#buffer);
      try {
        return this.#checked(parseHeader(reader), reader.position);
      } catch (error) {
        if (!(error instanceof ThriftError)) throw error;
        const more = error.cutOff && this.#buffer.length >= wanted && wanted < HEADER_BYTES_MAX;
        if (!more) throw this.#damaged(`a page's header cannot be read: ${error.message}`);
      }
    }
  }

  #checked(header: ReturnType<typeof parseHeader>, headerSize: number) {
    if (header.bodySize > PAGE_BYTES_MAX || header.uncompressedSize > PAGE_BYTES_MAX) {
      throw this.#damaged(`a page would have ${header.uncompressedSize} bytes`);
    }
    return { ...header, headerSize };
  }

  // Makes `size` bytes available, fewer only at the chunk's end.
  #fill(size: number): void {
    if (this.#buffer.length >= size) return;
    const left = this.#end - this.#position - this.#buffer.length;
    const added = Math.min(left, Math.max(size - this.#buffer.length, READ_BYTES));
    if (added <= 0) return;
    const grown = new Uint8Array(this.#buffer.length + added);
    grown.set(this.#buffer);
    const { length } = this.#buffer;
    this.file.read(grown.subarray(length), this.#position + length, "the Parquet file");
    this.#buffer = grown;
  }

  #damaged(reason: string): SourceError {
    const { path } = this.chunk;
    return columnDamaged(this.file.source, path.join("."), `${reason} (byte ${this.#position})`);
  }
}

function parseHeader(reader: ThriftReader) {
  const fields = reader.readStruct();
  const type = integer(fields, 1);
  const header =
    optionalStruct(fields, 5) ?? optionalStruct(fields, 7) ?? optionalStruct(fields, 8);
  const known: readonly number[] = Object.values(pageTypes);
  if (!known.includes(type) || (header === undefined && type !== pageTypes.index)) {
    throw new ThriftError(`no page of type ${type}`, false);
  }
  return {
    type,
    values: header === undefined ? 0 : count(header, 1),
    uncompressedSize: count(fields, 2),
    bodySize: count(fields, 3),
    checksum: optionalInteger(fields, 4),
  };
}
