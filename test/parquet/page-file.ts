import { ThriftWriter } from "../../src/base/thrift-writer.js";
import type { ColumnChunk, SchemaElement } from "../../src/parquet/footer.js";

/** An element of a schema with its children. */
export interface ElementTree {
  readonly element: SchemaElement;
  readonly children: readonly ElementTree[];
}

/** A page with its header, as a file has it. */
export interface PageBytes {
  readonly dictionary: boolean;
  /** Values and nulls, or the entries of a dictionary. */
  readonly values: number;
  readonly uncompressedSize: number;
  readonly bytes: Uint8Array;
}

/** The pages of one leaf of a column. */
export interface LeafPages {
  readonly chunk: ColumnChunk;
  readonly pages: readonly PageBytes[];
}

/** Facts in which the footer differs from the file. */
export interface OddFooter {
  readonly rows?: number;
  readonly createdBy?: string;
  /** Bytes that the sizes of chunks leave out. */
  readonly uncountedBytes?: number;
  /** Bytes behind the footer's structure. */
  readonly paddingBytes?: number;
}

const MAGIC = new TextEncoder().encode("PAR1");

/** Assembles a Parquet file of one column with `rows` rows from pages. Logical types are left out. */
export function assemblePageFile(
  column: ElementTree,
  leaves: readonly LeafPages[],
  rows: number,
  odd: OddFooter = {},
): Uint8Array {
  const starts: number[] = [];
  let top = MAGIC.length;
  for (const { pages } of leaves) {
    starts.push(top);
    for (const page of pages) top += page.bytes.length;
  }
  const padding = Buffer.alloc(odd.paddingBytes ?? 0);
  const footer = Buffer.concat([writeFooter(column, leaves, starts, rows, odd), padding]);
  const file = new Uint8Array(top + footer.length + 4 + MAGIC.length);
  file.set(MAGIC);
  let position = MAGIC.length;
  for (const { pages } of leaves) {
    for (const { bytes } of pages) {
      file.set(bytes, position);
      position += bytes.length;
    }
  }
  file.set(footer, top);
  new DataView(file.buffer).setUint32(top + footer.length, footer.length, true);
  file.set(MAGIC, top + footer.length + 4);
  return file;
}

// Field numbers as in parquet.thrift: FileMetaData, SchemaElement, RowGroup, ColumnChunk and
// ColumnMetaData.
function writeFooter(
  column: ElementTree,
  leaves: readonly LeafPages[],
  starts: readonly number[],
  rows: number,
  odd: OddFooter,
): Uint8Array {
  const elements = elementsOf(column);
  const writer = new ThriftWriter();
  writer.beginStructElement();
  writer.i32(1, 2);
  writer.beginList(2, "struct", elements.length + 1);
  writeRoot(writer);
  for (const node of elements) writeElement(writer, node);
  writer.i64(3, odd.rows ?? rows);
  writer.beginList(4, "struct", 1);
  writer.beginStructElement();
  writer.beginList(1, "struct", leaves.length);
  for (const [index, leaf] of leaves.entries()) {
    writeChunk(writer, leaf, starts[index] ?? 0, odd.uncountedBytes ?? 0);
  }
  writer.i64(
    2,
    leaves.reduce((sum, leaf) => sum + uncompressedSize(leaf), 0),
  );
  writer.i64(3, rows);
  writer.endStruct();
  if (odd.createdBy !== undefined) writer.binary(6, odd.createdBy);
  writer.endStruct();
  return writer.bytes;
}

function elementsOf(node: ElementTree): readonly ElementTree[] {
  return [node, ...node.children.flatMap(elementsOf)];
}

function writeRoot(writer: ThriftWriter): void {
  writer.beginStructElement();
  writer.binary(4, "root");
  writer.i32(5, 1);
  writer.endStruct();
}

function writeElement(writer: ThriftWriter, { element, children }: ElementTree): void {
  const leaf = children.length === 0;
  writer.beginStructElement();
  if (leaf && element.type !== undefined) writer.i32(1, element.type);
  if (leaf && element.typeLength > 0) writer.i32(2, element.typeLength);
  writer.i32(3, element.repetition);
  writer.binary(4, element.name);
  if (!leaf) writer.i32(5, children.length);
  if (element.convertedType !== undefined) writer.i32(6, element.convertedType);
  writer.endStruct();
}

function writeChunk(
  writer: ThriftWriter,
  { chunk, pages }: LeafPages,
  start: number,
  uncountedBytes: number,
): void {
  const size = pages.reduce((sum, page) => sum + page.bytes.length, 0) - uncountedBytes;
  const values = pages.reduce((sum, page) => sum + (page.dictionary ? 0 : page.values), 0);
  const dictionary = pages[0]?.dictionary ? pages[0].bytes.length : 0;
  writer.beginStructElement();
  writer.i64(2, start);
  writer.beginStruct(3);
  writer.i32(1, chunk.type);
  writer.beginList(2, "i32", 0);
  writer.beginList(3, "binary", chunk.path.length);
  for (const step of chunk.path) writer.binaryElement(step);
  writer.i32(4, chunk.codec);
  writer.i64(5, values);
  writer.i64(6, uncompressedSize({ chunk, pages }));
  writer.i64(7, size);
  writer.i64(9, start + dictionary);
  if (dictionary > 0) writer.i64(11, start);
  writer.endStruct();
  writer.endStruct();
}

function uncompressedSize({ pages }: LeafPages): number {
  return pages.reduce((sum, page) => sum + page.uncompressedSize, 0);
}
