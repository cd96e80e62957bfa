import type { ValueType } from "../../batch/arrow-node.js";
import {
  type ArrowSlices,
  type KernelNode,
  sliceSize,
  structSize,
} from "../../batch/arrow-slice.js";
import type { Source } from "../source.js";
import { FlatPieces } from "./flat-pieces.js";
import type { RowGroup } from "./footer.js";
import { NestedPieces } from "./nested-pieces.js";
import type { DecodedRows } from "./page-decoder.js";
import { chunksOf } from "./page-file.js";
import type { Pieces } from "./pieces.js";
import type { RandomAccess } from "./random-access.js";
import { hasRepeated, isStruct, leafTypes, leavesOf, type SchemaNode } from "./schema-tree.js";

/** The rows of one column in one row group. `ready`, `size` and `take` hold for what was filled. */
export interface ColumnRows {
  /** Decodes more when there is no row left of the last piece. Throws `SourceError`. */
  fill(): void;
  /** Rows that can be taken at once. */
  readonly ready: number;
  /** Bytes of `ArrowSlices` that the next `rows` rows take. */
  size(rows: number): number;
  take(slices: ArrowSlices, rows: number): KernelNode;
  skip(rows: number): void;
  close(): void;
}

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

export function openColumn(
  file: RandomAccess,
  column: SchemaNode,
  parts: readonly ColumnPart[],
  group: RowGroup,
): ColumnRows {
  const rows = parts.map((part) => new PartRows(openPieces(file, part, group), group.rows));
  const [only] = rows;
  return only !== undefined && rows.length === 1 ? only : new StructRows(rows, mergedSize(column));
}

function openPieces(file: RandomAccess, { node, types }: ColumnPart, group: RowGroup): Pieces {
  const chunks = chunksOf(node, group.chunks);
  const [chunk] = chunks;
  const flat = leavesOf(node).length === 1 && !hasRepeated(node);
  return flat && chunk !== undefined
    ? new FlatPieces(file, node, types, chunk)
    : new NestedPieces(file, node, types, chunks, group.rows);
}

function mergedSize(node: SchemaNode): number {
  if (!isStruct(node)) return 0;
  const inside = node.children.reduce((sum, child) => sum + mergedSize(child), 0);
  return structSize(node.children.length) + inside;
}

class PartRows implements ColumnRows {
  #decoded: DecodedRows | undefined;
  /** First row of the piece that was not taken yet. */
  #position = 0;
  #rowsLeft: number;

  constructor(
    private readonly pieces: Pieces,
    rows: number,
  ) {
    this.#rowsLeft = rows;
  }

  fill(): void {
    if (this.ready > 0 || this.#rowsLeft === 0) return;
    this.close();
    const decoded = this.pieces.next(this.#rowsLeft);
    this.#decoded = decoded;
    this.#position = 0;
    this.#rowsLeft -= decoded.array.length;
  }

  get ready(): number {
    return this.#decoded === undefined ? 0 : this.#decoded.array.length - this.#position;
  }

  size(rows: number): number {
    const { array, memory } = this.#filled;
    return sliceSize(memory(), array, this.#position, rows);
  }

  take(slices: ArrowSlices, rows: number): KernelNode {
    const { array, memory } = this.#filled;
    return slices.take(memory(), array, this.#position, rows);
  }

  skip(rows: number): void {
    this.#position += rows;
  }

  close(): void {
    this.#decoded?.free();
    this.#decoded = undefined;
  }

  get #filled(): DecodedRows {
    if (this.#decoded === undefined) throw new Error("a column is read before it is filled");
    return this.#decoded;
  }
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
