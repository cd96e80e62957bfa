import { MIB } from "../../base/limits.js";
import type { ArrowArray, ValueType } from "../../batch/arrow-node.js";
import type { ColumnChunk, RowGroup } from "./footer.js";
import { type DecodedRows, DecodeError, decodeRows } from "./page-decoder.js";
import { assemblePageFile, chunksOf, type LeafPages } from "./page-file.js";
import { type Page, PageReader } from "./page-reader.js";
import { columnDamaged } from "./parquet-errors.js";
import type { RandomAccess } from "./random-access.js";
import { hasRepeated, leavesOf, type SchemaNode } from "./schema-tree.js";

/** Bytes of values that are decoded at once, where pages are not larger. */
const DECODE_BYTES = 4 * MIB;
/** Bytes of values of a nested column that are decoded at once: its pages are gone through again. */
const NESTED_DECODE_BYTES = 32 * MIB;
/** Rows that are decoded at once. */
const DECODE_ROWS_MAX = 256 * 1024;

/** The rows of one column in one row group, decoded piece by piece. */
export class ColumnRows {
  #decoded: DecodedRows | undefined;
  #position = 0;
  #rowsLeft: number;
  readonly #source: Pieces;

  constructor(
    private readonly file: RandomAccess,
    column: SchemaNode,
    types: readonly ValueType[],
    group: RowGroup,
  ) {
    this.#rowsLeft = group.rows;
    const chunks = chunksOf(column, group.chunks);
    const [chunk] = chunks;
    const flat = chunk !== undefined && chunks.length === 1 && !hasRepeated(column);
    this.#source = flat
      ? new FlatPieces(file, column, types, chunk)
      : new NestedPieces(file, column, types, chunks, group.rows);
  }

  /** Decodes the next piece when there is no row left of the last one. Throws `SourceError`. */
  fill(): void {
    if (this.ready > 0 || this.#rowsLeft === 0) return;
    this.close();
    const decoded = this.#source.next(this.#rowsLeft);
    this.#decoded = decoded;
    this.#position = 0;
    this.#rowsLeft -= decoded.array.length;
  }

  /** Rows that can be taken at once. */
  get ready(): number {
    return this.#decoded === undefined ? 0 : this.#decoded.array.length - this.#position;
  }

  get array(): ArrowArray {
    return this.#current.array;
  }

  get memory(): ArrayBufferLike {
    return this.#current.memory();
  }

  /** First row of `array` that was not taken yet. */
  get position(): number {
    return this.#position;
  }

  skip(rows: number): void {
    this.#position += rows;
  }

  close(): void {
    this.#decoded?.free();
    this.#decoded = undefined;
  }

  get #current(): DecodedRows {
    if (this.#decoded === undefined) {
      throw new Error(`${this.file.source.name}: a column is read before it is filled`);
    }
    return this.#decoded;
  }
}

interface Pieces {
  /** At least one row, at most `rowsLeft`. */
  next(rowsLeft: number): DecodedRows;
}

/** A column with one value a row: a few pages at a time, as every page is some whole rows. */
class FlatPieces implements Pieces {
  readonly #reader: PageReader;
  #dictionary: Page | undefined;
  /** Read, but not decoded. */
  #pages: Page[] = [];
  /** What went wrong behind `#pages`. */
  #failure: unknown;
  #pagesMax = Number.POSITIVE_INFINITY;

  constructor(
    private readonly file: RandomAccess,
    private readonly column: SchemaNode,
    private readonly types: readonly ValueType[],
    private readonly chunk: ColumnChunk,
  ) {
    this.#reader = new PageReader(file, chunk);
  }

  next(rowsLeft: number): DecodedRows {
    for (;;) {
      if (this.#pages.length === 0) this.#gather();
      const pages = this.#pages.slice(0, this.#pagesMax);
      const rows = pages.reduce((sum, page) => sum + page.values, 0);
      if (rows === 0 || rows > rowsLeft) {
        throw columnDamaged(
          this.file.source,
          this.column.element.name,
          "its pages do not have the row group's rows",
        );
      }
      try {
        const decoded = this.#decode(pages, rows);
        this.#pages = this.#pages.slice(pages.length);
        return decoded;
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        if (pages.length === 1)
          throw columnDamaged(this.file.source, this.column.element.name, error.message, error);
        // The rows before the broken page are good: go on page by page up to it.
        this.#pagesMax = 1;
      }
    }
  }

  #gather(): void {
    if (this.#failure !== undefined) throw this.#failure;
    let size = 0;
    let rows = 0;
    try {
      while (size < DECODE_BYTES && rows < DECODE_ROWS_MAX) {
        const page = this.#reader.next();
        if (page === null) return;
        if (page.dictionary) {
          this.#dictionary = page;
          continue;
        }
        this.#pages.push(page);
        rows += page.values;
        size += Math.max(page.uncompressedSize, this.#dictionarySize(page));
      }
    } catch (error) {
      if (this.#pages.length === 0) throw error;
      this.#failure = error;
    }
  }

  // Values of a page, if each is as long as those of the dictionary are on average.
  #dictionarySize(page: Page): number {
    if (this.#dictionary === undefined || this.#dictionary.values === 0) return 0;
    return (this.#dictionary.uncompressedSize / this.#dictionary.values) * page.values;
  }

  #decode(pages: readonly Page[], rows: number): DecodedRows {
    const all = this.#dictionary === undefined ? pages : [this.#dictionary, ...pages];
    const leaves = [{ chunk: this.chunk, pages: all }];
    const file = assemblePageFile(this.column, leaves, rows);
    return decodeRows(file, this.types, { start: 0, rows });
  }
}

/**
 * A column with several leaves, or several values a row: its pages do not end at the same rows, so
 * all of the row group's are kept, compressed, and gone through again for each piece of rows.
 */
class NestedPieces implements Pieces {
  #pages: Uint8Array | undefined;
  #start = 0;
  readonly #pieceRows: number;

  constructor(
    private readonly file: RandomAccess,
    private readonly column: SchemaNode,
    private readonly types: readonly ValueType[],
    private readonly chunks: readonly ColumnChunk[],
    private readonly rows: number,
  ) {
    const size = chunks.reduce((sum, chunk) => sum + chunk.uncompressedSize, 0);
    const pieces = Math.max(1, Math.ceil(size / NESTED_DECODE_BYTES));
    this.#pieceRows = Math.min(DECODE_ROWS_MAX, Math.max(1, Math.ceil(rows / pieces)));
  }

  next(rowsLeft: number): DecodedRows {
    this.#pages ??= assemblePageFile(this.column, this.#readPages(), this.rows);
    const rows = Math.min(rowsLeft, this.#pieceRows);
    try {
      const decoded = decodeRows(this.#pages, this.types, { start: this.#start, rows });
      this.#start += rows;
      return decoded;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw columnDamaged(this.file.source, this.column.element.name, error.message, error);
    }
  }

  #readPages(): readonly LeafPages[] {
    const leaves: LeafPages[] = [];
    for (const chunk of this.chunks) {
      const reader = new PageReader(this.file, chunk);
      const pages: Page[] = [];
      for (let page = reader.next(); page !== null; page = reader.next()) {
        pages.push(page);
      }
      leaves.push({ chunk, pages });
    }
    if (leaves.length !== leavesOf(this.column).length) {
      throw columnDamaged(this.file.source, this.column.element.name, "it has no data");
    }
    return leaves;
  }
}
