import { MIB } from "../../../base/limits.js";
import type { ValueType } from "../../../batch/arrow-node.js";
import type { ColumnChunk } from "../footer/footer.js";
import type { SchemaNode } from "../footer/schema-tree.js";
import { type Page, type PagePlace, PageReader } from "../pages/page-reader.js";
import { columnDamaged } from "../parquet-errors.js";
import type { RandomAccess } from "../random-access.js";
import { type DecodedRows, DecodeError } from "./page-decoder.js";
import { assemblePageFile } from "./page-file.js";
import { PageFileRows, rowsAtOnce } from "./page-file-rows.js";
import type { Pieces } from "./pieces.js";

/** Bytes of values after which no further page is added to a piece. */
const PIECE_BYTES = 4 * MIB;
/** Bytes of values of one piece, where a single page has more; see `rowsAtOnce`. */
const PIECE_BYTES_MAX = 32 * MIB;
/** Rows after which no further page is added to a piece. */
const PIECE_ROWS = 256 * 1024;

/** A column with one value a row: a few pages at a time, as every page is some whole rows. */
export class FlatPieces implements Pieces {
  readonly #reader: PageReader;
  #dictionary: Page | undefined;
  /** Read, but not given out whole. */
  #pages: readonly Page[] = [];
  /** What is being given out: the first `#taken` pages. */
  #current: PageFileRows | undefined;
  #taken = 0;
  /** What went wrong behind `#pages`. */
  #failure: unknown;
  #pagesMax = Number.POSITIVE_INFINITY;

  constructor(
    private readonly file: RandomAccess,
    private readonly column: SchemaNode,
    private readonly types: readonly ValueType[],
    private readonly chunk: ColumnChunk,
    /** The page to begin with, where that is not the first one. */
    private resumeAt?: PagePlace,
  ) {
    this.#reader = new PageReader(file, chunk);
  }

  next(rowsLeft: number): DecodedRows {
    for (;;) {
      const current = this.#current ?? this.#open(0);
      if (current.left === 0 || current.left > rowsLeft) {
        throw this.#damaged("its pages do not have the row group's rows");
      }
      try {
        const decoded = current.next();
        if (current.left === 0) this.#drop(this.#taken);
        return decoded;
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        if (this.#taken === 1) throw this.#damaged(error.message, error);
        this.#goOnPageByPage(current.given);
      }
    }
  }

  /** The pages before a broken one are good: what of them was not given out yet can be read. */
  #goOnPageByPage(given: number): void {
    this.#pagesMax = 1;
    let skipped = given;
    for (const { values } of this.#pages) {
      if (values > skipped) break;
      skipped -= values;
      this.#drop(1);
    }
    this.#current = this.#open(skipped);
  }

  #drop(pages: number): void {
    this.#pages = this.#pages.slice(pages);
    this.#current = undefined;
  }

  #open(given: number): PageFileRows {
    if (this.#pages.length === 0) this.#pages = this.#gather();
    const pages = this.#pages.slice(0, this.#pagesMax);
    const all = this.#dictionary === undefined ? pages : [this.#dictionary, ...pages];
    const rows = total(pages, ({ values }) => values);
    const sizes = {
      valueBytes: total(pages, (page) => this.#valueBytes(page)),
      pageBytes: total(all, ({ uncompressedSize }) => uncompressedSize),
    };
    const file = assemblePageFile(this.column, [{ chunk: this.chunk, pages: all }], rows);
    const rowsMax = rowsAtOnce(rows, sizes, PIECE_BYTES_MAX);
    this.#taken = pages.length;
    this.#current = new PageFileRows(file, this.types, rows, rowsMax, given);
    return this.#current;
  }

  #gather(): readonly Page[] {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.resumeAt !== undefined) this.#dictionary = this.#reader.resume(this.resumeAt);
    this.resumeAt = undefined;
    const pages: Page[] = [];
    let size = 0;
    let rows = 0;
    try {
      while (size < PIECE_BYTES && rows < PIECE_ROWS) {
        const page = this.#reader.next();
        if (page === null) break;
        if (page.dictionary) {
          this.#dictionary = page;
          continue;
        }
        pages.push(page);
        rows += page.values;
        size += this.#valueBytes(page);
      }
    } catch (error) {
      if (pages.length === 0) throw error;
      this.#failure = error;
    }
    return pages;
  }

  // With a dictionary: if each value is as long as its entries are on average.
  #valueBytes({ uncompressedSize, values }: Page): number {
    const dictionary = this.#dictionary;
    if (dictionary === undefined || dictionary.values === 0) return uncompressedSize;
    const entryBytes = dictionary.uncompressedSize / dictionary.values;
    return Math.max(uncompressedSize, entryBytes * values);
  }

  #damaged(what: string, cause?: unknown) {
    return columnDamaged(this.file.source, this.column.element.name, what, cause);
  }
}

function total(pages: readonly Page[], of: (page: Page) => number): number {
  return pages.reduce((sum, page) => sum + of(page), 0);
}
