import { MIB } from "../../../base/limits.js";
import type { ValueType } from "../../../batch/arrow-node.js";
import type { ColumnChunk } from "../footer/footer.js";
import { leavesOf, type SchemaNode } from "../footer/schema-tree.js";
import { type Page, PageReader } from "../pages/page-reader.js";
import { columnDamaged } from "../parquet-errors.js";
import type { RandomAccess } from "../random-access.js";
import { type DecodedRows, DecodeError } from "./page-decoder.js";
import { assemblePageFile, type LeafPages } from "./page-file.js";
import { PageFileRows, rowsAtOnce } from "./page-file-rows.js";
import type { Pieces } from "./pieces.js";

/** Bytes of values that are decoded at once: for each piece all pages are gone through again. */
const PIECE_BYTES = 32 * MIB;

/**
 * A list or a map: its leaves' pages do not end at the same rows, nor need they end at a row at all.
 * So all of the row group's are kept, compressed, and gone through for each piece of rows.
 */
export class NestedPieces implements Pieces {
  #rows: PageFileRows | undefined;

  constructor(
    private readonly file: RandomAccess,
    private readonly column: SchemaNode,
    private readonly types: readonly ValueType[],
    private readonly chunks: readonly ColumnChunk[],
    private readonly groupRows: number,
    /** Rows that need not be given out. */
    private readonly skipped = 0,
  ) {}

  next(rowsLeft: number): DecodedRows {
    const rows = this.#rows ?? this.#open();
    if (rows.left !== rowsLeft) throw new Error("a nested column is not read in order");
    try {
      return rows.next();
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw columnDamaged(this.file.source, this.column.element.name, error.message, error);
    }
  }

  #open(): PageFileRows {
    const valueBytes = this.chunks.reduce((sum, chunk) => sum + chunk.uncompressedSize, 0);
    const rowsMax = rowsAtOnce(this.groupRows, { valueBytes, pageBytes: 0 }, PIECE_BYTES);
    const file = assemblePageFile(this.column, this.#readPages(), this.groupRows);
    this.#rows = new PageFileRows(file, this.types, this.groupRows, rowsMax, this.skipped);
    return this.#rows;
  }

  #readPages(): readonly LeafPages[] {
    if (this.chunks.length !== leavesOf(this.column).length) {
      throw columnDamaged(this.file.source, this.column.element.name, "it has no data");
    }
    return this.chunks.map((chunk) => {
      const reader = new PageReader(this.file, chunk);
      const pages: Page[] = [];
      for (let page = reader.next(); page !== null; page = reader.next()) pages.push(page);
      return { chunk, pages };
    });
  }
}
