import { DICTIONARY_BYTES_MAX, KIB, PAGE_BYTES, ROW_BUFFER_ROWS_MAX } from "../../base/limits.js";
import { ThriftWriter } from "../../base/thrift-writer.js";
import { type Column, cellKinds } from "../../batch/column.js";
import { type Kernel, LOOSE_BYTES, Region } from "../../batch/kernel.js";
import { KernelRecord } from "../../batch/kernel-record.js";
import { dictionaryLayout } from "../../batch/layouts.js";
import { parseBigint, parseDouble, type TextType } from "../../batch/text-types.js";
import type { PartOutput } from "../part-output.js";
import type { OrderedRows } from "../row-buffer.js";
import { type PageFacts, pageHeader, type WrittenChunk } from "./file-metadata.js";
import { createPageCompression, type PageCompression } from "./page-compression.js";
import { type ParquetColumn, parquetEncodings, type parquetPageTypes } from "./parquet-schema.js";

type TimeColumn = Extract<ParquetColumn, { kind: "timestamp" }>;
type NumberColumn = Extract<ParquetColumn, { kind: "number" }>;
type TextParquetColumn = Exclude<ParquetColumn, TimeColumn | NumberColumn>;

/** Pages of at least this length show whether their chunk can be compressed, by their first bytes. */
const PROBE_BYTES = 32 * KIB;

/** Compression pays if a page shrinks to at most this share. */
const SHRUNK_MAX = 0.9;

/** The pages of the current chunk. */
interface ChunkPages {
  /** Sizes, added up. */
  uncompressedSize: number;
  compressedSize: number;
  /** Chosen by the first page. */
  compression?: PageCompression;
}

type ChunkFacts = ChunkPages & Omit<WrittenChunk, "column" | "codec" | "rows">;

/** Encodes column chunks page by page, straight from the row buffer. One per worker. */
export class ColumnChunkWriter {
  /** The current page, before compression. */
  readonly #page: Region;
  readonly #levels: number;
  readonly #result: number;
  readonly #dictionary: DictionaryBuilder;
  readonly #header = new ThriftWriter();
  readonly #none: PageCompression;

  constructor(
    private readonly kernel: Kernel,
    private readonly compression: PageCompression,
  ) {
    // Room for the levels and the values, so that it grows only for long cells.
    this.#page = new Region(kernel, 2 * PAGE_BYTES);
    this.#levels = kernel.allocate(ROW_BUFFER_ROWS_MAX * 4);
    this.#result = kernel.allocate(32);
    this.#dictionary = new DictionaryBuilder(kernel);
    this.#none = createPageCompression(kernel, "none");
  }

  write(column: ParquetColumn, rows: OrderedRows, output: PartOutput): WrittenChunk {
    if (column.kind === "timestamp") return this.#writeTimestamps(column, rows, output);
    if (column.kind === "number") return this.#writeNumbers(column, rows, output);
    if (column.dictionary && this.#dictionary.build(rows.rowBuffer.column(column.source), rows)) {
      return this.#writeIndexes(column, rows, output);
    }
    return this.#writePlain(column, rows, output);
  }

  #writeTimestamps(column: TimeColumn, rows: OrderedRows, output: PartOutput): WrittenChunk {
    const { rowBuffer, order, start, end } = rows;
    const dataPageOffset = output.size;
    const pages: ChunkPages = { uncompressedSize: 0, compressedSize: 0 };
    this.#page.ensure((end - start) * 8);
    const from = this.#page.address;
    const { unitMs } = column;
    const times = rowBuffer.timestamps;
    const to = this.kernel.run.encodeTimestamps(times, order, start, end, from, unitMs);
    const facts = { values: end - start, encoding: parquetEncodings.plain };
    this.#writePage(output, pages, "data", from, to - from, facts);
    const [first, last] = rowBuffer.timestampRange(order, start, end);
    const range = [Math.floor(first / unitMs), Math.floor(last / unitMs)] as const;
    return this.#chunk(column, rows, { ...pages, nulls: 0, dataPageOffset, range });
  }

  #writeNumbers(column: NumberColumn, rows: OrderedRows, output: PartOutput): WrittenChunk {
    const { run } = this.kernel;
    const { rowBuffer, order, start, end } = rows;
    const cells = rowBuffer.column(column.source);
    const values = parseNumbers(column.type, cells, rows);
    const dataPageOffset = output.size;
    const pages: ChunkPages = { uncompressedSize: 0, compressedSize: 0 };
    this.#page.ensure(4 + run.hybridBytesMax(end - start, 1) + values.byteLength + LOOSE_BYTES);
    const from = this.#page.address;
    const to = run.encodeLevels(cells.address, order, start, end, this.#levels, from);
    this.kernel.bytes.set(new Uint8Array(values.buffer, 0, values.byteLength), to);
    const facts = { values: end - start, encoding: parquetEncodings.plain };
    this.#writePage(output, pages, "data", from, to + values.byteLength - from, facts);
    const nulls = end - start - values.length;
    return this.#chunk(column, rows, { ...pages, nulls, dataPageOffset });
  }

  #writePlain(column: TextParquetColumn, rows: OrderedRows, output: PartOutput): WrittenChunk {
    const { run } = this.kernel;
    const { rowBuffer, order, end } = rows;
    const cells = rowBuffer.column(column.source).address;
    const dataPageOffset = output.size;
    const pages: ChunkPages = { uncompressedSize: 0, compressedSize: 0 };
    let nulls = 0;
    for (let start = rows.start; start < end; ) {
      run.measurePlain(cells, order, start, end, PAGE_BYTES, this.#result);
      const { u32 } = this.kernel;
      const result = this.#result / 4;
      const next = u32[result]!;
      const bytes = u32[result + 1]!;
      const pageNulls = u32[result + 2]!;
      const count = next - start;
      this.#page.ensure(4 + run.hybridBytesMax(count, 1) + bytes + LOOSE_BYTES);
      const from = this.#page.address;
      const values = column.nullable
        ? run.encodeLevels(cells, order, start, next, this.#levels, from)
        : from;
      const to = run.encodePlain(cells, order, start, next, values);
      const facts = { values: count, encoding: parquetEncodings.plain };
      this.#writePage(output, pages, "data", from, to - from, facts);
      nulls += pageNulls;
      start = next;
    }
    return this.#chunk(column, rows, { ...pages, nulls, dataPageOffset });
  }

  /** Writes a dictionary page and one page of indexes into it. */
  #writeIndexes(column: TextParquetColumn, rows: OrderedRows, output: PartOutput): WrittenChunk {
    const { run } = this.kernel;
    const { rowBuffer, order, start, end } = rows;
    const dictionary = this.#dictionary;
    const encoding = parquetEncodings.plainDictionary;
    const pages: ChunkPages = { uncompressedSize: 0, compressedSize: 0 };
    const dictionaryPageOffset = output.size;
    const facts = { values: dictionary.distinct, encoding };
    this.#writePage(output, pages, "dictionary", dictionary.values, dictionary.bytes, facts);

    const dataPageOffset = output.size;
    const { count, bitWidth } = dictionary;
    const levelBytes = 4 + run.hybridBytesMax(end - start, 1);
    this.#page.ensure(levelBytes + 1 + run.hybridBytesMax(count, bitWidth) + LOOSE_BYTES);
    const from = this.#page.address;
    const cells = rowBuffer.column(column.source).address;
    const widthAt = column.nullable
      ? run.encodeLevels(cells, order, start, end, this.#levels, from)
      : from;
    this.kernel.bytes[widthAt] = bitWidth;
    // parquetjs-lite misreads runs of one value of more than 8 bits, so write none.
    const runs = bitWidth <= 8 ? 1 : 0;
    const to = run.encodeHybrid(dictionary.indexes, count, bitWidth, runs, widthAt + 1);
    this.#writePage(output, pages, "data", from, to - from, { values: end - start, encoding });
    const nulls = end - start - count;
    return this.#chunk(column, rows, { ...pages, nulls, dataPageOffset, dictionaryPageOffset });
  }

  #writePage(
    output: PartOutput,
    pages: ChunkPages,
    type: keyof typeof parquetPageTypes,
    start: number,
    length: number,
    facts: Pick<PageFacts, "values" | "encoding">,
  ): void {
    pages.compression ??= this.#choose(start, length);
    const body = pages.compression.compress(start, length);
    const { values, encoding } = facts;
    const page = { values, encoding, uncompressedSize: length, compressedSize: body.length };
    const header = pageHeader(this.#header, type, page);
    output.append(header);
    output.append(body);
    pages.uncompressedSize += header.length + length;
    pages.compressedSize += header.length + body.length;
  }

  /**
   * Returns the compression of a chunk that begins with this page: none if it hardly shrinks, as ids of random
   * digits. Depends on the page alone, so that the bytes of a part do.
   */
  #choose(start: number, length: number): PageCompression {
    if (length < PROBE_BYTES) return this.compression;
    const { length: shrunk } = this.compression.compress(start, PROBE_BYTES);
    return shrunk > SHRUNK_MAX * PROBE_BYTES ? this.#none : this.compression;
  }

  #chunk(
    column: ParquetColumn,
    { start, end }: OrderedRows,
    { compression = this.compression, ...facts }: ChunkFacts,
  ): WrittenChunk {
    return { column, codec: compression.codec, rows: end - start, ...facts };
  }
}

/** Parses the cells of ordered rows, which have the type; nulls have no value. */
function parseNumbers(
  type: TextType,
  column: Column,
  { rowBuffer, order, start, end }: OrderedRows,
): Float64Array | BigInt64Array {
  const { bytes, u32 } = rowBuffer.kernel;
  const [starts, lengths, places] = [column.starts / 4, column.lengths / 4, order / 4];
  const doubles = new Float64Array(type === "double" ? end - start : 0);
  const bigints = new BigInt64Array(type === "bigint" ? end - start : 0);
  let count = 0;
  for (let place = start; place < end; place++) {
    const row = u32[places + place]!;
    if (bytes[column.kinds + row] === cellKinds.null) continue;
    const from = u32[starts + row]!;
    const to = from + u32[lengths + row]!;
    if (type === "double") doubles[count++] = parseDouble(bytes, from, to);
    else bigints[count++] = parseBigint(bytes, from, to);
  }
  return type === "double" ? doubles.subarray(0, count) : bigints.subarray(0, count);
}

/** Fewest slots, so that the table of a row group with few rows is quick to clear. */
const TABLE_BITS_MIN = 6;
const TABLE_BYTES_MAX = 2 * ROW_BUFFER_ROWS_MAX * 8;

/**
 * Finds the distinct values of a column chunk. Its members describe the last successful `build`.
 */
class DictionaryBuilder {
  /** Address of the values as PLAIN byte arrays, in order of appearance. */
  readonly values: number;
  /** Address of a u32 index for each row that is not null. */
  readonly indexes: number;
  readonly #dictionary: KernelRecord<keyof typeof dictionaryLayout.words>;

  constructor(private readonly kernel: Kernel) {
    this.values = kernel.allocate(DICTIONARY_BYTES_MAX + LOOSE_BYTES);
    this.indexes = kernel.allocate(ROW_BUFFER_ROWS_MAX * 4);
    this.#dictionary = new KernelRecord(kernel, dictionaryLayout);
    this.#dictionary.set("values", this.values);
    this.#dictionary.set("bytesMax", DICTIONARY_BYTES_MAX);
    this.#dictionary.set("indexes", this.indexes);
    this.#dictionary.set("table", kernel.allocate(TABLE_BYTES_MAX));
  }

  get distinct(): number {
    return this.#dictionary.get("distinct");
  }

  /** Bytes of `values`. */
  get bytes(): number {
    return this.#dictionary.get("bytes");
  }

  /** Number of indexes. */
  get count(): number {
    return this.#dictionary.get("count");
  }

  /** Bits of an index. 1 for a single value, because some readers reject 0. */
  get bitWidth(): number {
    return Math.max(1, 32 - Math.clz32(this.distinct - 1));
  }

  /** Returns false if a dictionary does not pay; the members are then undefined. */
  build(column: Column, rows: { order: number; start: number; end: number }): boolean {
    const { order, start, end } = rows;
    const dictionary = this.#dictionary;
    dictionary.set("tableBits", Math.max(TABLE_BITS_MIN, 33 - Math.clz32(end - start - 1)));
    this.kernel.run.buildDictionary(dictionary.address, column.address, order, start, end);
    const { bytes, count } = this;
    if (dictionary.get("done") === 0 || count === 0) return false;
    return bytes + (count * this.bitWidth) / 8 < dictionary.get("plainBytes");
  }
}
