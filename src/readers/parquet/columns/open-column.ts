import type { ValueType } from "../../../batch/arrow-node.js";
import { type ArrowSlices, type KernelNode, structSize } from "../../../batch/arrow-slice.js";
import type { Source } from "../../source.js";
import type { ColumnChunk, RowGroup } from "../footer/footer.js";
import {
  hasRepeated,
  isStruct,
  leafTypes,
  leavesOf,
  type SchemaNode,
} from "../footer/schema-tree.js";
import { chunksOf } from "../library/page-file.js";
import type { PageMemory } from "../pages/page-memory.js";
import type { RandomAccess } from "../random-access.js";
import type { ColumnRows } from "./column-rows.js";

/** A part of a column whose rows can be decoded on their own, with what its leaves' values are. */
export interface ColumnPart {
  readonly node: SchemaNode;
  readonly types: readonly ValueType[];
}

/**
 * The members of structs one by one: pages of different leaves do not end at the same rows, so what
 * is decoded together must be kept together. Throws `SourceError` for types that have no text.
 */
export function partsOf(column: SchemaNode, source: Source): readonly ColumnPart[] {
  return splitStructs(column).map((node) => ({ node, types: leafTypes(node, source) }));
}

function splitStructs(node: SchemaNode): readonly SchemaNode[] {
  if (!isStruct(node)) return [node];
  return node.children.flatMap(splitStructs).map((part) => ({ ...node, children: [part] }));
}

/** Opens a part with one value a row at the most. */
export type OpenFlat = (
  file: RandomAccess,
  memory: PageMemory,
  part: ColumnPart,
  chunk: ColumnChunk,
  rows: number,
) => ColumnRows;

/** Opens a part with lists or maps; `chunks` are those of its leaves. */
export type OpenNested = (
  file: RandomAccess,
  memory: PageMemory,
  part: ColumnPart,
  chunks: readonly ColumnChunk[],
  rows: number,
) => ColumnRows;

/** What reads the parts of columns. */
export interface ColumnOpeners {
  readonly flat: OpenFlat;
  readonly nested: OpenNested;
}

export function openColumn(
  file: RandomAccess,
  memory: PageMemory,
  open: ColumnOpeners,
  column: SchemaNode,
  parts: readonly ColumnPart[],
  group: RowGroup,
): ColumnRows {
  const rows = parts.map((part) => {
    const chunks = chunksOf(part.node, group.chunks);
    const [chunk] = chunks;
    const flat = leavesOf(part.node).length === 1 && !hasRepeated(part.node);
    if (flat && chunk !== undefined) return open.flat(file, memory, part, chunk, group.rows);
    return open.nested(file, memory, part, chunks, group.rows);
  });
  const [only] = rows;
  return only !== undefined && rows.length === 1 ? only : new StructRows(rows, mergedSize(column));
}

function mergedSize(node: SchemaNode): number {
  if (!isStruct(node)) return 0;
  const inside = node.children.reduce((sum, child) => sum + mergedSize(child), 0);
  return structSize(node.children.length) + inside;
}

/** A struct whose members are read each at its own pace. */
class StructRows implements ColumnRows {
  constructor(
    private readonly parts: readonly ColumnRows[],
    /** Bytes that putting the parts together takes. */
    private readonly structsSize: number,
  ) {}

  fill(): void {
    for (const part of this.parts) part.fill();
  }

  get ready(): number {
    return Math.min(...this.parts.map(({ ready }) => ready));
  }

  size(rows: number): number {
    return this.parts.reduce((sum, part) => sum + part.size(rows), this.structsSize);
  }

  pointedSize(rows: number): number {
    return this.parts.reduce((sum, part) => sum + part.pointedSize(rows), 0);
  }

  take(slices: ArrowSlices, rows: number): KernelNode {
    return slices.merge(this.parts.map((part) => part.take(slices, rows)));
  }

  skip(rows: number): void {
    for (const part of this.parts) part.skip(rows);
  }

  close(): void {
    for (const part of this.parts) part.close();
  }
}
