import { version } from "../../base/package-files.js";
import { sum } from "../../base/sum.js";
import { ThriftWriter } from "../../base/thrift-writer.js";
import {
  type ParquetColumn,
  parquetConvertedTypes,
  parquetEncodings,
  parquetLogicalTypes,
  parquetPageTypes,
  parquetRepetitions,
  physicalType,
} from "./parquet-schema.js";
import { copyRowGroups } from "./row-group-copy.js";

/** One column of one row group in the file. */
export interface WrittenChunk {
  readonly column: ParquetColumn;
  readonly codec: number;
  readonly rows: number;
  readonly nulls: number;
  /** Bytes of all pages with their headers. */
  readonly uncompressedSize: number;
  readonly compressedSize: number;
  /** Positions in the file. */
  readonly dataPageOffset: number;
  readonly dictionaryPageOffset?: number;
  /** First and last timestamp. */
  readonly range?: readonly [number, number];
}

export interface PageFacts {
  readonly uncompressedSize: number;
  readonly compressedSize: number;
  /** Values of the page with nulls, or of the dictionary. */
  readonly values: number;
  readonly encoding: number;
}

/** Encodes the header of a page. The result is valid until the writer is used again. */
export function pageHeader(
  writer: ThriftWriter,
  type: keyof typeof parquetPageTypes,
  page: PageFacts,
): Uint8Array {
  writer.reset();
  writer.beginStructElement();
  writer.i32(1, parquetPageTypes[type]);
  writer.i32(2, page.uncompressedSize);
  writer.i32(3, page.compressedSize);
  writer.beginStruct(type === "data" ? 5 : 7);
  writer.i32(1, page.values);
  writer.i32(2, page.encoding);
  if (type === "data") {
    writer.i32(3, parquetEncodings.rle);
    writer.i32(4, parquetEncodings.rle);
  }
  writer.endStruct();
  writer.endStruct();
  return writer.bytes;
}

/** The footer of a file, encoded one row group at a time. */
export class FileMetadata {
  readonly #rowGroups = new ThriftWriter();
  #count = 0;
  #rows = 0;

  constructor(private readonly columns: readonly ParquetColumn[]) {}

  get heldBytes(): number {
    return this.#rowGroups.size;
  }

  addRowGroup(rows: number, offset: number, chunks: readonly WrittenChunk[]): void {
    const writer = this.#rowGroups;
    writer.beginStructElement();
    writer.beginList(1, "struct", chunks.length);
    for (const chunk of chunks) writeColumnChunk(writer, chunk);
    writer.i64(
      2,
      sum(chunks, (chunk) => chunk.uncompressedSize),
    );
    writer.i64(3, rows);
    writer.i64(5, offset);
    writer.i64(
      6,
      sum(chunks, (chunk) => chunk.compressedSize),
    );
    writer.endStruct();
    this.#count++;
    this.#rows += rows;
  }

  /** Adds the row groups of another file; they begin `shift` bytes later in this one. */
  addCopied(footer: Uint8Array, shift: number): "added" | "other columns" {
    const { schema, rows, count, bytes } = copyRowGroups(footer, shift);
    const own = copyRowGroups(new FileMetadata(this.columns).encode(), 0).schema;
    if (Buffer.compare(schema, own) !== 0) return "other columns";
    this.#rowGroups.raw(bytes);
    this.#count += count;
    this.#rows += rows;
    return "added";
  }

  /** Encodes the FileMetaData struct. */
  encode(): Uint8Array {
    const { columns } = this;
    const writer = new ThriftWriter();
    writer.beginStructElement();
    writer.i32(1, 1);
    writer.beginList(2, "struct", columns.length + 1);
    writeSchemaRoot(writer, columns);
    for (const column of columns) writeSchemaColumn(writer, column);
    writer.i64(3, this.#rows);
    writer.beginList(4, "struct", this.#count);
    writer.raw(this.#rowGroups.bytes);
    writer.binary(6, `switchyard version ${version}`);
    // TYPE_ORDER for each column: it defines the order of minimum and maximum.
    writer.beginList(7, "struct", columns.length);
    for (const _ of columns) {
      writer.beginStructElement();
      writer.beginStruct(1);
      writer.endStruct();
      writer.endStruct();
    }
    writer.endStruct();
    return writer.bytes;
  }
}

function writeSchemaRoot(writer: ThriftWriter, columns: readonly ParquetColumn[]): void {
  writer.beginStructElement();
  writer.binary(4, "event");
  writer.i32(5, columns.length);
  writer.endStruct();
}

function writeSchemaColumn(writer: ThriftWriter, column: ParquetColumn): void {
  const { required, optional } = parquetRepetitions;
  const isNullable = column.kind === "number" || (column.kind !== "timestamp" && column.nullable);
  writer.beginStructElement();
  writer.i32(1, physicalType(column));
  writer.i32(3, isNullable ? optional : required);
  writer.binary(4, column.name);
  if (column.kind === "timestamp") {
    if (column.isLogical) writeTimestampType(writer);
  } else if (column.kind !== "number") {
    writer.i32(6, parquetConvertedTypes.utf8);
    writer.beginStruct(10);
    writer.beginStruct(parquetLogicalTypes.string);
    writer.endStruct();
    writer.endStruct();
  }
  writer.endStruct();
}

/** TIMESTAMP in milliseconds, adjusted to UTC. */
function writeTimestampType(writer: ThriftWriter): void {
  writer.i32(6, parquetConvertedTypes.timestampMillis);
  writer.beginStruct(10);
  writer.beginStruct(parquetLogicalTypes.timestamp);
  writer.true(1);
  writer.beginStruct(2);
  writer.beginStruct(1);
  for (let struct = 0; struct < 4; struct++) writer.endStruct();
}

function writeColumnChunk(writer: ThriftWriter, chunk: WrittenChunk): void {
  const { column, dictionaryPageOffset } = chunk;
  const offset = dictionaryPageOffset ?? chunk.dataPageOffset;
  const values =
    dictionaryPageOffset === undefined ? parquetEncodings.plain : parquetEncodings.plainDictionary;
  writer.beginStructElement();
  writer.i64(2, offset);
  writer.beginStruct(3);
  writer.i32(1, physicalType(column));
  writer.beginList(2, "i32", 2);
  writer.numberElement(values);
  writer.numberElement(parquetEncodings.rle);
  writer.beginList(3, "binary", 1);
  writer.binaryElement(column.name);
  writer.i32(4, chunk.codec);
  writer.i64(5, chunk.rows);
  writer.i64(6, chunk.uncompressedSize);
  writer.i64(7, chunk.compressedSize);
  writer.i64(9, chunk.dataPageOffset);
  if (dictionaryPageOffset !== undefined) writer.i64(11, dictionaryPageOffset);
  if (column.kind !== "json") writeStatistics(writer, chunk);
  writer.endStruct();
  writer.endStruct();
}

function writeStatistics(writer: ThriftWriter, { nulls, range }: WrittenChunk): void {
  writer.beginStruct(12);
  writer.i64(3, nulls);
  if (range !== undefined) {
    writer.binary(5, int64Bytes(range[1]));
    writer.binary(6, int64Bytes(range[0]));
  }
  writer.endStruct();
}

function int64Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value), true);
  return bytes;
}
