import type { ColumnChunk } from "./footer.js";
import type { Page } from "./page-reader.js";
import { groupType, leavesOf, type SchemaNode } from "./schema-tree.js";
import { ThriftWriter } from "./thrift.js";

/** Pages of one leaf of a column. */
export interface LeafPages {
  readonly chunk: ColumnChunk;
  readonly pages: readonly Page[];
}

const MAGIC = new TextEncoder().encode("PAR1");
const encoder = new TextEncoder();

/**
 * A Parquet file in memory of one column with `rows` rows, made of pages as they are. It is what the
 * decoder gets to see: so it needs no file, no more memory than these pages, and decodes no column
 * that nobody asked for. Leaves have their physical types only; see value-type.ts.
 */
export function assemblePageFile(
  column: SchemaNode,
  leaves: readonly LeafPages[],
  rows: number,
): Uint8Array {
  const starts: number[] = [];
  let top = MAGIC.length;
  for (const { pages } of leaves) {
    starts.push(top);
    for (const page of pages) top += page.bytes.length;
  }
  const footer = writeFooter(column, leaves, starts, rows);
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
  column: SchemaNode,
  leaves: readonly LeafPages[],
  starts: readonly number[],
  rows: number,
): Uint8Array {
  const writer = new ThriftWriter();
  writer.structElement(() => {
    writer.int32(1, 2);
    writer.structs(2, [undefined, ...elementsOf(column)], (node) => {
      if (node === undefined) {
        writer.binary(4, encoder.encode("root"));
        writer.int32(5, 1);
      } else {
        writeElement(writer, node);
      }
    });
    writer.int64(3, rows);
    writer.structs(4, [leaves], () => {
      writer.structs(
        1,
        leaves.map((leaf, index) => ({ leaf, start: starts[index] ?? 0 })),
        (item) => writeChunk(writer, item.leaf, item.start),
      );
      writer.int64(
        2,
        leaves.reduce((sum, leaf) => sum + uncompressedSize(leaf), 0),
      );
      writer.int64(3, rows);
    });
  });
  return writer.finish();
}

function elementsOf(node: SchemaNode): readonly SchemaNode[] {
  return [node, ...node.children.flatMap(elementsOf)];
}

function writeElement(writer: ThriftWriter, node: SchemaNode): void {
  const { element, children } = node;
  const leaf = children.length === 0;
  if (leaf && element.type !== undefined) writer.int32(1, element.type);
  if (leaf && element.typeLength > 0) writer.int32(2, element.typeLength);
  writer.int32(3, element.repetition);
  writer.binary(4, encoder.encode(element.name));
  if (leaf) return;
  writer.int32(5, children.length);
  const converted = groupType(element);
  if (converted !== undefined) writer.int32(6, converted);
}

function writeChunk(writer: ThriftWriter, { chunk, pages }: LeafPages, start: number): void {
  const size = pages.reduce((sum, page) => sum + page.bytes.length, 0);
  const values = pages.reduce((sum, page) => sum + (page.dictionary ? 0 : page.values), 0);
  const dictionary = pages[0]?.dictionary ? pages[0].bytes.length : 0;
  writer.int64(2, start);
  writer.struct(3, () => {
    writer.int32(1, chunk.type);
    writer.int32s(2, []);
    writer.binaries(
      3,
      chunk.path.map((step) => encoder.encode(step)),
    );
    writer.int32(4, chunk.codec);
    writer.int64(5, values);
    writer.int64(6, uncompressedSize({ chunk, pages }));
    writer.int64(7, size);
    writer.int64(9, start + dictionary);
    if (dictionary > 0) writer.int64(11, start);
  });
}

function uncompressedSize({ pages }: LeafPages): number {
  return pages.reduce((sum, page) => sum + page.uncompressedSize, 0);
}

/** The chunks of a column's leaves, in order. */
export function chunksOf(
  column: SchemaNode,
  chunks: readonly ColumnChunk[],
): readonly ColumnChunk[] {
  return leavesOf(column).flatMap(({ leaf }) => chunks[leaf] ?? []);
}
